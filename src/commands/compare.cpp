// grove compare: how far the particles of two files are apart, by their ids.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "decomposition/domain/sort_by_id.hpp"
#include "io/files/printable.hpp"
#include "io/formats/reader.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/text_parts.hpp"
#include "kernels/base/text_table.hpp"
#include "src/analysis/comparison.hpp"
#include "src/analysis/named_units.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/process/standard_error.hpp"
#include "src/run/files/same_on_all_ranks.hpp"

namespace grove {

namespace {

using Json = nlohmann::ordered_json;

struct CompareOptions {
  std::string a, b, columns_a, columns_b;
  std::array<std::optional<double>, std::size(compared_fields)> limits;  ///< on the largest difference of each field
  bool renumber = false;
  JsonOption json;
};

/// A file that was read, and its particles until they are compared.
struct ComparedFile {
  std::string path;
  ReadInfo info;
  ParticleSet particles;
};

std::string zero_or_more(const std::string& text) {
  const std::optional<double> number = parse_number<double>(text);
  return number && *number >= 0 ? "" : text + " must be a number >= 0";
}

ComparedFile read_compared(const std::string& path, const std::string& columns, bool renumbers, const Communicator& comm) {
  ComparedFile file{path, {}, {}};
  require_same_file(path, "A B", comm);
  try {
    file.particles = read_particles(path, comm, &file.info, comparison_fields(), columns);
  } catch (const AgreedError& error) {
    if (error.exit_code() != exit_code::data) throw;
    // Reading fails if only some particles have accelerations or potentials. Other bad data are found again.
    file.particles = read_particles(path, comm, &file.info, standard_fields(), columns);
    file.info.notes.push_back(fmt::format("accelerations and potentials are not compared: {}", error.what()));
  }
  if (renumbers) renumber(file.particles, comm);
  require_unique_ids(file.particles.id, path, comm, "--renumber compares the particles by the numbers of their rows instead");
  return file;
}

/// Of A and of B.
std::array<NamedUnits, 2> units_of(const ComparedFile& a, const ComparedFile& b) {
  return {named_units(a.path, a.info), named_units(b.path, b.info)};
}

std::vector<std::string> notes_on(const ComparedFile& a, const ComparedFile& b) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& what, const std::optional<double>& of_a, const std::optional<double>& of_b) {
    if (of_a && of_b && *of_a != *of_b) notes.push_back(fmt::format("{} differs: {} in A, {} in B", what, *of_a, *of_b));
  };
  add("time", a.info.time, b.info.time);
  add("G", a.info.G, b.info.G);
  const std::array<NamedUnits, 2> units = units_of(a, b);
  for (const NamedUnits& file : units)
    if (std::string note = note_on_units(file, common_units(units)); !note.empty()) notes.push_back(std::move(note));
  for (const ComparedFile* file : {&a, &b})
    for (const std::string& note : file->info.notes) notes.push_back(file->path + ": " + note);
  return notes;
}

std::string file_line(const char* name, const ComparedFile& file) {
  const std::string time = file.info.time ? fmt::format(", time {:.6g}", *file.info.time) : "";
  return fmt::format("{}: {} particles from {} ({}){}\n", name, format_count(file.info.count()), file.path, file.info.format, time);
}

std::string ids_text(const CountedIds& ids) {
  return ids.count == 0 ? "0" : fmt::format("{} (lowest id {})", format_count(ids.count), ids.lowest);
}

std::string short_number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4g}", value); }

std::string readable(const ComparedFile& a, const ComparedFile& b, const Comparison& comparison) {
  std::string text = file_line("A", a) + file_line("B", b) + as_notes(notes_on(a, b));
  text += fmt::format("\n{} particles in both files, {} only in A, {} only in B; {} of another type\n", format_count(comparison.in_both),
                      ids_text(comparison.only_in_a), ids_text(comparison.only_in_b), ids_text(comparison.of_other_type));
  if (comparison.differences.empty()) return text;
  TextTable table({"|B - A|", "rms", "median", "99 %", "max", "of id", "spread of A", "rms/spread", "max/spread"});
  for (const FieldDifference& d : comparison.differences)
    table.add_row({d.field, short_number(d.rms), short_number(d.median), short_number(d.p99), short_number(d.max),
                   d.max > 0 ? fmt::format("{}", d.id_of_max) : "-", short_number(d.spread), short_number(d.rms / d.spread),
                   short_number(d.max / d.spread)});
  return text + "\n" + table.text();
}

Json ids_json(const CountedIds& ids) { return {{"count", ids.count}, {"lowest_id", ids.count > 0 ? Json(ids.lowest) : Json()}}; }

Json file_json(const ComparedFile& file) {
  return {{"file", file.path},
          {"format", file.info.format},
          {"particles", file.info.count()},
          {"time", file.info.time ? Json(*file.info.time) : Json()}};
}

Json as_json(const ComparedFile& a, const ComparedFile& b, const Comparison& comparison) {
  Json json = {{"A", file_json(a)},
               {"B", file_json(b)},
               {"notes", notes_on(a, b)},
               {"in_both", comparison.in_both},
               {"only_in_A", ids_json(comparison.only_in_a)},
               {"only_in_B", ids_json(comparison.only_in_b)},
               {"of_other_type", ids_json(comparison.of_other_type)}};
  json["differences"] = Json::object();
  for (const FieldDifference& d : comparison.differences)
    json["differences"][d.field] = {{"rms", d.rms},
                                    {"median", d.median},
                                    {"percentile_99", d.p99},
                                    {"max", d.max},
                                    {"id_of_max", d.max > 0 ? Json(d.id_of_max) : Json()},
                                    {"spread_of_A", d.spread},
                                    {"rms_over_spread", d.rms / d.spread},
                                    {"max_over_spread", d.max / d.spread}};
  return json;
}

/// What exceeds the limits, one sentence each. Particles in only one file and NaN exceed every limit.
std::vector<std::string> complaints(const CompareOptions& options, const Comparison& comparison) {
  std::vector<std::string> all;
  bool has_limit = false;
  for (std::size_t k = 0; k < std::size(compared_fields); ++k) {
    if (!options.limits[k]) continue;
    has_limit = true;
    bool is_compared = comparison.in_both == 0;
    for (const FieldDifference& d : comparison.differences) {
      if (d.field != compared_fields[k]) continue;
      is_compared = true;
      if (!(d.max <= *options.limits[k]))
        all.push_back(
            fmt::format("the largest difference of {} {:.3e} exceeds --max-{} {:.3e}", d.field, d.max, d.field, *options.limits[k]));
    }
    if (!is_compared) all.push_back(fmt::format("--max-{0}: not both files have the field {0}", compared_fields[k]));
  }
  if (const std::uint64_t alone = comparison.only_in_a.count + comparison.only_in_b.count; has_limit && alone > 0)
    all.push_back(fmt::format("{} particles are in one of the files alone", format_count(alone)));
  return all;
}

int compare(const CompareOptions& options, const Communicator& comm) {
  comm.agree([&] {
    options.json.require_input("B", "compare A B", !options.b.empty());
    require_columns("--columns-a", options.columns_a);
    require_columns("--columns-b", options.columns_b);
  });
  options.json.require_writable(comm);
  ComparedFile a = read_compared(options.a, options.columns_a, options.renumber, comm),
               b = read_compared(options.b, options.columns_b, options.renumber, comm);
  comm.agree([&] { common_units(units_of(a, b)); });
  const Comparison comparison = compare_particles(std::move(a.particles), std::move(b.particles), comm);
  options.json.show(printable_text(readable(a, b, comparison)), as_json(a, b, comparison), comm);
  const std::vector<std::string> exceeded = complaints(options, comparison);
  if (comm.is_root())
    for (const std::string& complaint : exceeded) say_on_stderr("grove: " + complaint);
  return exceeded.empty() ? 0 : exit_exceeded;
}

}  // namespace

CommandAction declare_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  app.add_option("A", options->a, "a file of particles, in any format that Grove reads");
  app.add_option("B", options->b, "another one, in the same units, of any format, its particles in any order");
  for (std::size_t k = 0; k < std::size(compared_fields); ++k)
    app.add_option(fmt::format("--max-{}", compared_fields[k]), options->limits[k],
                   fmt::format("exit with code 1 when the largest difference of {} is larger", compared_fields[k]))
        ->check(zero_or_more)
        ->type_name("X");
  app.add_option("--columns-a", options->columns_a, "what the columns of A are, if it is a text table")->type_name("LIST");
  app.add_option("--columns-b", options->columns_b, "the same of B")->type_name("LIST");
  app.add_flag("--renumber", options->renumber, "the ids are replaced by the numbers of the rows, for files whose ids occur twice");
  options->json.declare(app);
  app.footer(
      "Particles are compared with those of the same id. Numbers are in the units of the files. With a --max option, particles that are\n"
      "in one of the files alone are an excess, too; without one, the exit code of two files that could be compared is 0.");
  return [options](const Communicator& comm) { return compare(*options, comm); };
}

}  // namespace grove
