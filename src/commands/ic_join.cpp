// grove ic join: puts the particles of several files into one snapshot.
#include "src/commands/ic_join.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "decomposition/sort_by_id.hpp"
#include "io/snapshot.hpp"
#include "kernels/space/error.hpp"
#include "src/commands/options.hpp"
#include "src/config/units.hpp"
#include "src/run/join.hpp"
#include "src/run/last_words.hpp"
#include "src/text/text_table.hpp"
#include "src/version.hpp"

namespace grove {

namespace {

/// "x,y,z".
void read_vector(const std::string& option, const std::string& text, double (&vector)[3]) {
  const std::vector<std::string> words = comma_separated(option, text);
  bool is_good = words.size() == 3;
  for (std::size_t d = 0; is_good && d < 3; ++d) is_good = CLI::detail::lexical_cast(words[d], vector[d]) && std::isfinite(vector[d]);
  if (!is_good)
    throw ConfigError(fmt::format("{} {}: must be three numbers with commas between them, e.g. {} 10,0,-2.5", option, text, option));
}

using VectorOfPart = double (JoinPart::*)[3];

/// The first value is for the second file, and so on.
void give(std::vector<JoinPart>& parts, const std::string& option, const std::vector<std::string>& values, VectorOfPart member) {
  if (values.size() >= parts.size())
    throw ConfigError(fmt::format("{} is given {} times for {} files: the first file stays as it is, and the others have one each", option,
                                  values.size(), parts.size()));
  for (std::size_t k = 0; k < values.size(); ++k) read_vector(option, values[k], parts[k + 1].*member);
}

std::vector<JoinPart> parts_of(const JoinOptions& options) {
  if (options.files.size() < 2) throw ConfigError("join needs two files or more");
  std::vector<JoinPart> parts(options.files.size());
  for (std::size_t k = 0; k < parts.size(); ++k) parts[k].file = options.files[k];
  give(parts, "--rotate", options.rotate, &JoinPart::rotate);
  give(parts, "--shift", options.shift, &JoinPart::shift);
  give(parts, "--boost", options.boost, &JoinPart::boost);
  return parts;
}

/// How to do it again, for the provenance of the file.
std::string command_text(const JoinOptions& options) {
  std::string text = fmt::format("grove ic join {}", fmt::join(options.files, " "));
  const auto add = [&](const char* name, const std::vector<std::string>& values) {
    for (const std::string& value : values) text += fmt::format(" {} {}", name, value);
  };
  add("--rotate", options.rotate);
  add("--shift", options.shift);
  add("--boost", options.boost);
  return text + (options.recentre ? " --recentre" : "");
}

SnapshotHeader header_of(const JoinedParticles& joined, const JoinOptions& options) {
  SnapshotHeader header;
  header.time = joined.info.time.value_or(0);
  if (joined.info.units) header.units = *joined.info.units;
  header.G = joined.info.G.value_or(is_physical(header.units) ? gravitational_constant(header.units) : 1);
  header.components = joined.components;
  header.provenance = program_provenance();
  header.provenance.extra.emplace_back("Command", command_text(options));
  return header;
}

/// What the new file says of units and G where no file does.
std::string note_on_missing(const ReadInfo& info, const SnapshotHeader& header) {
  return fmt::format("no file names {}: the new file says {}, G = {:.6g}",
                     info.units ? "G"
                     : info.G   ? "its units"
                                : "its units and G",
                     in_words(header.units), header.G);
}

}  // namespace

CLI::App* declare_ic_join(CLI::App& ic, JoinOptions& options) {
  CLI::App* own = ic.add_subcommand("join", "particles of several files in one snapshot")->group("Files");
  own->add_option("FILES", options.files, "files to join, in any format that Grove reads")->required()->type_name("A B ...");
  own->add_option("--out", options.out, "snapshot to write, e.g. pair.hdf5")->required()->type_name("FILE");
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* meaning) {
    own->add_option(name, values, meaning)
        ->type_name("X,Y,Z")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add("--rotate", options.rotate, "turns B about its origin: degrees about x, then y, then z, counter-clockwise");
  add("--shift", options.shift, "then is added to its positions");
  add("--boost", options.boost, "and this to its velocities");
  own->add_flag("--recentre", options.recentre, "at last, centre of mass and mean velocity of all become zero");
  own->add_flag("--overwrite", options.overwrite, "replace the file if it exists");
  own->footer(
      "The three vectors are for B, the second file. With more files, repeat an option: the second one is for the third file, and so on.\n"
      "Numbers are in the units of the files, which must agree. Components keep their names.");
  return own;
}

int join_initial_conditions(const JoinOptions& options, const Communicator& comm) {
  std::vector<JoinPart> parts;
  comm.agree([&] {
    parts = parts_of(options);
    if (comm.is_root()) require_new_snapshot(options.out, options.overwrite, options.files);
  });
  JoinedParticles joined = join_files(parts, options.recentre, comm);
  const std::filesystem::path out = options.out;
  remove_partial_files_on_failure(out.parent_path(), [own = out.filename().string()](const std::string& file) { return file == own; });
  const SnapshotHeader header = header_of(joined, options);
  write_snapshot(out, sort_by_id(std::move(joined.particles), comm), header, comm);
  if (!comm.is_root()) return 0;
  for (const std::string& note : joined.notes) fmt::print("note: {}\n", note);
  if (!joined.info.G || !joined.info.units) fmt::print("note: {}\n", note_on_missing(joined.info, header));
  if (const std::string note = advice_on_G(header.G, header.units); !note.empty()) fmt::print("note: {}\n", note);
  fmt::print("{} particles of {} files, written to {}\n", format_count(joined.count), parts.size(), options.out);
  return 0;
}

}  // namespace grove
