// grove info: describes files of particles, checkpoints, and the logs of a run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/files/printable.hpp"
#include "io/files/sealed_file.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "io/snapshots/info.hpp"
#include "kernels/base/error.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/process/standard_error.hpp"
#include "src/run/files/log_description.hpp"

namespace grove {

namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  std::vector<std::string> files;
  std::string columns;
  bool all = false;
  JsonOption json;
};

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json units_json(const std::optional<UnitSystem>& units) {
  if (!units) return {};
  if (!is_physical(*units)) return {{"system", "N-body units"}};
  return {{"system", "cgs"},
          {"length_in_cm", units->length_in_cm},
          {"mass_in_g", units->mass_in_g},
          {"velocity_in_cm_per_s", units->velocity_in_cm_per_s}};
}

Json components_json(const FileSummary& summary) {
  Json components = Json::array();
  for (std::size_t k = 0; k < summary.info.components.size(); ++k)
    if (summary.info.count_of_type[k] > 0)
      components.push_back({{"type", k},
                            {"name", summary.info.components[k]},
                            {"particles", summary.info.count_of_type[k]},
                            {"mass", summary.totals.mass_of_type[k]}});
  return components;
}

Json as_json(const FileSummary& summary, bool all) {
  const ReadInfo& info = summary.info;
  const ParticleTotals& totals = summary.totals;
  Json json = {{"file", summary.path.string()},
               {"format", info.format},
               {"particles", info.count()},
               {"mass", totals.mass},
               {"time", or_null(info.time)},
               {"box_size", or_null(info.universe.box_size)},
               {"G", or_null(info.G)},
               {"units", units_json(info.units)},
               {"components", components_json(summary)},
               {"softenings", Json::array()},
               {"lowest_position", totals.low},
               {"highest_position", totals.high},
               {"centre_of_mass", totals.centre_of_mass},
               {"velocity_of_centre", totals.velocity},
               {"notes", info.notes}};
  for (const FileSoftening& s : info.softenings)
    json["softenings"].push_back(
        {{"where", s.what}, {"type", s.type < 0 ? Json() : Json(s.type)}, {"lowest", s.lowest}, {"highest", s.highest}});
  if (!all) return json;
  for (const FieldDescription& f : summary.fields) json["fields"].push_back({{"name", f.name}, {"type", f.type}, {"shape", f.shape}});
  for (const auto& [name, text] : info.provenance) json["provenance"][name] = text;
  for (const FileAttribute& a : summary.attributes) json["attributes"][a.object][a.name] = a.value;
  return json;
}

Json checkpoint_json(const std::string& file, bool all) {
  const SavedState state = read_checkpoint_state(file);
  Json json = {{"file", file}, {"format", "checkpoint of Grove"}};
  std::uint64_t particles = 0;
  for (const std::uint64_t count : state.counts(particles_of_ranks)) particles += count;
  json["particles"] = particles;
  json["step"] = state.count("run.step");
  json["time"] = state.number("simulation.time");
  if (!all) return json;
  for (const auto& [name, value] : state.values()) std::visit([&, &key = name](const auto& v) { json["state"][key] = v; }, value);
  return json;
}

Json log_json(const LogDescription& log) {
  const CsvRows& rows = log.rows;
  Json json = {{"file", log.file},
               {"format", "log of Grove"},
               {"title", log.title},
               {"rows", rows.count},
               {"first_time", or_null(rows.value(rows.first, "time"))},
               {"last_time", or_null(rows.value(rows.last, "time"))},
               {"units", units_json(log.units)},
               {"columns", Json::array()},
               {"notes", log.notes}};
  for (const CsvColumn& column : log.columns)
    json["columns"].push_back({{"name", column.name}, {"meaning", column.meaning}, {"last", or_null(rows.value(rows.last, column.name))}});
  return json;
}

/// One file in words and as JSON.
std::pair<std::string, Json> describe(const std::string& file, const InfoOptions& options) {
  const bool all = options.all;
  if (has_seal(file) && options.columns.empty()) return {describe_checkpoint(file, all), checkpoint_json(file, all)};
  if (options.columns.empty() && (log_kind_in(file) || is_log_of_grove(file))) {
    const LogDescription log = describe_log(file);
    return {log.text(), log_json(log)};
  }
  const FileSummary summary = summarise_file(file, options.columns);
  return {all ? full_description(summary) : short_description(summary), as_json(summary, all)};
}

/// A file that cannot be read does not keep the others from being shown; the exit code is that of the first such file.
int info(const InfoOptions& options, const Communicator& comm) {
  comm.agree([&] {
    options.json.require_input("FILE", "info FILE", !options.files.empty());
    require_columns("--columns", options.columns);
  });
  options.json.require_writable(comm);
  Json files = Json::array();
  int exit_code = 0;
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    try {
      comm.agree([&] {
        if (!comm.is_root()) return;
        auto [text, json] = describe(options.files[i], options);
        if (!options.json.replaces_table()) write_text("-", (i == 0 ? "" : "\n") + printable_text(text));
        files.push_back(std::move(json));
      });
    } catch (const AgreedError& error) {
      if (options.files.size() == 1) throw;
      std::fflush(stdout);
      if (comm.is_root()) say_on_stderr("grove: error: " + printable_text(error.what()));
      if (exit_code == 0) exit_code = error.exit_code();
    }
  }
  comm.agree([&] {
    if (comm.is_root()) options.json.write(Json{{"files", files}});
  });
  return exit_code;
}

}  // namespace

CommandAction declare_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  app.add_option(
      "FILE", options->files,
      "files of particles (HDF5, GADGET binary, TIPSY, NEMO, text tables), checkpoints, or logs of a run (energy.csv, timings.csv)");
  app.add_flag("--all", options->all, "all that the files say: fields, centre of mass, the configuration that made them, every attribute");
  app.add_option("--columns", options->columns,
                 "what the columns of a text table are, as initial_conditions.columns of a run: \"m x y z vx vy vz -\"")
      ->type_name("LIST");
  options->json.declare(app);
  return [options](const Communicator& comm) { return info(*options, comm); };
}

}  // namespace grove
