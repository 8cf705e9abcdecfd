#include "kernels/base/saved_state.hpp"

#include "kernels/base/error.hpp"

namespace grove {

template <class T>
const T& SavedState::get(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw DataError("the checkpoint lacks the state " + name);
  const T* const value = std::get_if<T>(&found->second);
  if (!value) throw DataError("the checkpoint has the state " + name + " in another form than this program");
  return *value;
}

const SavedState::Numbers& SavedState::numbers(const std::string& name, std::size_t length) const {
  const Numbers& values = get<Numbers>(name);
  if (values.size() != length) throw DataError("the checkpoint has another number of values for the state " + name + " than this program");
  return values;
}

const SavedState::Counts& SavedState::counts(const std::string& name) const { return get<Counts>(name); }

const std::string& SavedState::text(const std::string& name) const { return get<std::string>(name); }

std::uint64_t SavedState::count(const std::string& name) const {
  const Counts& values = counts(name);
  if (values.size() != 1) throw DataError("the checkpoint has another number of values for the state " + name + " than this program");
  return values.front();
}

}  // namespace grove
