// Named numbers and texts: the state of a run beside its particles, as a checkpoint keeps it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace grove {

/// What the parts of a program need to continue. Each part puts its values under names of its own, "domains.cuts", and takes them up again
/// from there. Numbers keep their bits. The same on all ranks.
class SavedState {
 public:
  using Numbers = std::vector<double>;
  using Counts = std::vector<std::uint64_t>;
  using Value = std::variant<Numbers, Counts, std::string>;

  /// Sets a value. A name consists of letters, digits, '_' and '.'.
  void put(const std::string& name, Numbers values) { values_[name] = std::move(values); }
  void put(const std::string& name, Counts values) { values_[name] = std::move(values); }
  void put(const std::string& name, std::string text) { values_[name] = std::move(text); }
  void put_number(const std::string& name, double value) { put(name, Numbers{value}); }
  void put_count(const std::string& name, std::uint64_t value) { put(name, Counts{value}); }

  bool has(const std::string& name) const { return values_.contains(name); }
  /// The value of that name. Throw DataError, which names it, when there is none, or it is of another kind or length.
  const Numbers& numbers(const std::string& name, std::size_t length) const;
  const Counts& counts(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  double number(const std::string& name) const { return numbers(name, 1).front(); }
  std::uint64_t count(const std::string& name) const;

  /// All values, by name.
  const std::map<std::string, Value>& values() const { return values_; }

 private:
  template <class T>
  const T& get(const std::string& name) const;

  std::map<std::string, Value> values_;
};

}  // namespace grove
