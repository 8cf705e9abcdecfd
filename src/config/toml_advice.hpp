// What is meant by texts that are no TOML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace grove {

/// The place after the quoted text that begins at `begin`; for one that is not closed, the end of its line.
std::size_t end_of_quoted(std::string_view text, std::size_t begin);

/// Throws ConfigError where `text`, the beginning of the file at `path`, is that of a file of particles, or has another coding of
/// characters.
void require_configuration(const std::string& text, const std::string& path);

/// The line with the number `line`, from 1 on, of a text that is no TOML, with what is wrong in it and how to mend it: `complaint`, that of
/// the parser, where nothing is known that is plainer.
std::string toml_mistake(std::string_view text, std::size_t line, std::string_view complaint);

}  // namespace grove
