// JSON for the results of `check` and `bench`: written, never read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grove {

/// An object whose members keep the order in which they were added.
class JsonObject {
 public:
  JsonObject& add(const std::string& name, double value);  ///< NaN and infinity, which JSON lacks, become null
  JsonObject& add(const std::string& name, std::uint64_t value);
  JsonObject& add(const std::string& name, int value);
  JsonObject& add(const std::string& name, const std::string& value);
  JsonObject& add(const std::string& name, const char* value);
  JsonObject& add(const std::string& name, const JsonObject& value);
  JsonObject& add(const std::string& name, const std::vector<double>& values);
  JsonObject& add(const std::string& name, const std::vector<JsonObject>& values);

  /// The object over several indented lines, without a newline at the end.
  std::string text() const { return text_at(0); }

 private:
  struct Member {
    std::string name;
    std::string value;                  ///< the text of a simple value
    std::vector<JsonObject> objects{};  ///< the value, when it is an object, or all of them in a list
    bool is_list = false;               ///< of objects
    std::string text_at(int depth) const;
  };
  JsonObject& add_text(const std::string& name, std::string value);
  std::string text_at(int depth) const;

  std::vector<Member> members_;
};

}  // namespace grove
