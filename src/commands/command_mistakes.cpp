#include "src/commands/command_mistakes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "kernels/base/named_rows.hpp"
#include "kernels/base/setting.hpp"
#include "src/config/config_table.hpp"

namespace grove {

namespace {

/// The command or generator of the command line, and its name, from "grove" on.
std::pair<const CLI::App*, std::string> chosen_command(const CLI::App& app) {
  const CLI::App* chosen = &app;
  std::string name = app.get_name();
  while (!chosen->get_subcommands().empty()) {
    chosen = chosen->get_subcommands().front();
    name += " " + chosen->get_name();
  }
  return {chosen, name};
}

/// What to type for a file that stands where a command must be.
std::string advice_on_file(const std::string& word) {
  std::error_code ignored;
  const bool is_config = std::filesystem::path(word).extension() == ".toml";
  if (!is_config && !std::filesystem::exists(word, ignored)) return "";
  return fmt::format(". For that file, type 'grove {} {}'", is_config ? "run" : "info", word);
}

/// The way to set a key that was given as an option; nothing where no key is meant.
std::string advice_on_key(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  for (const ConfigSetting& row : config_table().settings) {
    const std::string whole = row.section + "." + row.setting.name;
    if (name == whole || name == row.setting.name) return fmt::format("keys of the configuration follow --set: --set {}=VALUE", whole);
    if (name == row.section) return fmt::format("keys of the configuration follow --set, as --set {}=VALUE", whole);
  }
  return "";
}

/// The words of 'grove ic'; nothing where an option of `command`, a generator or that command itself, is none of them.
std::string advice_on_ic(const CLI::App& command, const std::string& name) {
  const bool is_before_generator = command.get_name() == "ic", is_generator = command.get_parent()->get_name() == "ic";
  if (!is_before_generator && !(is_generator && name == "generator")) return "";
  return "the generator is a word of its own, and its options follow it: grove ic GENERATOR --n N --out FILE";
}

/// The name of an option that is not there.
std::string advice_on_option(const CLI::App& command, const std::string& name) {
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options())
    options.insert(options.end(), option->get_lnames().begin(), option->get_lnames().end());
  if (std::count(options.begin(), options.end(), name) > 0)
    return fmt::format("did you mean --{0}, after '{1}'?", name, command.get_name());
  if (std::string advice = command.get_parent() ? advice_on_ic(command, name) : ""; !advice.empty()) return advice;
  const bool has_set = std::count(options.begin(), options.end(), "set") > 0;
  if (std::string advice = has_set ? advice_on_key(name) : ""; !advice.empty()) return advice;
  const std::string near = nearest_name(name, options);
  return near.empty() ? "" : fmt::format("did you mean --{}?", near);
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  const std::size_t begin = word.find_first_not_of('-'), end = std::min(word.find('='), word.size());
  const std::string advice = begin < end ? advice_on_option(command, word.substr(begin, end - begin)) : "";
  return fmt::format("there is no option {}{}{}", word.substr(0, end), advice.empty() ? "" : ": ", advice);
}

/// For an option without the word that follows it: `complaint` of the library begins with its name.
std::string missing_value(const CLI::App& command, const std::string& complaint) {
  const std::string name = complaint.substr(0, complaint.find(':'));
  const CLI::Option* const option = name.starts_with("-") && complaint.ends_with("missing") ? command.get_option_no_throw(name) : nullptr;
  if (!option) return complaint;
  return fmt::format("{0}: the word after it is missing: {0} {1}, {2}", option->get_name(), option->get_type_name(),
                     option->get_description());
}

std::string unexpected_word(const CLI::App& command, const std::string& name, const std::string& word) {
  std::string taken;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) taken += " " + option->get_name();
  return fmt::format("nothing takes the word '{}': the command is '{}{}', and options", word, name, taken);
}

}  // namespace

std::string wrong_name(const CLI::App& app, const std::vector<std::string>& words) {
  std::string before = app.get_name();
  const CLI::App* level = &app;
  for (std::size_t i = 0;; ++i) {
    const auto known = level->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty() || (i < words.size() && words[i].starts_with("-"))) return "";
    std::vector<std::string> names;
    for (const CLI::App* command : known) names.push_back(command->get_name());
    if (i == words.size()) return fmt::format("{} needs one of {}", before, fmt::join(names, ", "));
    const auto named = std::find(names.begin(), names.end(), words[i]);
    if (named == names.end()) {
      const std::string file = advice_on_file(words[i]), near = file.empty() ? suggestion(words[i], names) : "";
      return fmt::format("unknown name '{}' after '{}'{}: allowed are {}{}", words[i], before, near, fmt::join(names, ", "), file);
    }
    level = known[static_cast<std::size_t>(named - names.begin())];
    before += " " + words[i];
  }
}

std::string mistake_of(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> left = app.remaining(true);
  const auto [command, name] = chosen_command(app);
  if (error.get_name() == "ArgumentMismatch") return missing_value(*command, error.what());
  if (left.empty()) return error.what();
  const auto option = std::find_if(left.begin(), left.end(), [](const std::string& word) { return word.starts_with("-"); });
  return option == left.end() ? unexpected_word(*command, name, left.front()) : unknown_option(*command, *option);
}

std::string with_help(const CLI::App& app, const std::string& mistake) {
  return fmt::format("{}\n'{} --help' shows what is allowed", mistake, chosen_command(app).second);
}

}  // namespace grove
