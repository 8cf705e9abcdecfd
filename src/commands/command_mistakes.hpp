// What is wrong in a command line, and what is probably meant.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace grove {

/// The mistake in the names of command and generator, which come first in `words`, those of the command line without the name of the
/// program; empty if there is none.
std::string wrong_name(const CLI::App& app, const std::vector<std::string>& words);

/// The first word that nothing takes, with what is probably meant; if there is none, what the library complains of.
std::string mistake_of(const CLI::App& app, const CLI::ParseError& error);

/// `mistake` with the command whose --help says what is allowed.
std::string with_help(const CLI::App& app, const std::string& mistake);

}  // namespace grove
