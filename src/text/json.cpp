#include "src/text/json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace grove {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + "\"";
}

/// As many digits as it takes to read the same bits back.
std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

}  // namespace

JsonObject& JsonObject::add_text(const std::string& name, std::string value) {
  members_.push_back({name, std::move(value)});
  return *this;
}

JsonObject& JsonObject::add(const std::string& name, double value) { return add_text(name, number(value)); }
JsonObject& JsonObject::add(const std::string& name, std::uint64_t value) { return add_text(name, fmt::format("{}", value)); }
JsonObject& JsonObject::add(const std::string& name, int value) { return add_text(name, fmt::format("{}", value)); }
JsonObject& JsonObject::add(const std::string& name, const std::string& value) { return add_text(name, quoted(value)); }
JsonObject& JsonObject::add(const std::string& name, const char* value) { return add_text(name, quoted(value)); }

JsonObject& JsonObject::add(const std::string& name, const JsonObject& value) {
  members_.push_back({name, "", {value}});
  return *this;
}

JsonObject& JsonObject::add(const std::string& name, const std::vector<JsonObject>& values) {
  members_.push_back({name, "", values, true});
  return *this;
}

JsonObject& JsonObject::add(const std::string& name, const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + number(value);
  return add_text(name, "[" + text + "]");
}

std::string JsonObject::Member::text_at(int depth) const {
  if (!is_list) return objects.empty() ? value : objects.front().text_at(depth);
  std::string text;
  for (const JsonObject& object : objects) text += (text.empty() ? "" : ", ") + object.text_at(depth);
  return "[" + text + "]";
}

std::string JsonObject::text_at(int depth) const {
  if (members_.empty()) return "{}";
  std::string text = "{";
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    text += fmt::format("{}\n{:{}}{}: ", i > 0 ? "," : "", "", 2 * (depth + 1), quoted(member.name));
    text += member.text_at(depth + 1);
  }
  return text + fmt::format("\n{:{}}}}", "", 2 * depth);
}

}  // namespace grove
