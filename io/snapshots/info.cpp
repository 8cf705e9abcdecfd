#include "io/snapshots/info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "decomposition/ranks/communicator.hpp"
#include "io/files/printable.hpp"
#include "io/formats/reader.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/unit_names.hpp"
#include "kernels/base/units.hpp"

namespace grove {

namespace {

ParticleTotals totals_of(const ParticleSet& particles) {
  ParticleTotals totals;
  std::copy_n(particles.position.begin(), 3, totals.low.begin());
  totals.high = totals.low;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double mass = particles.mass[i];
    totals.mass += mass;
    totals.mass_of_type[particles.type[i]] += mass;
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = particles.position[3 * i + c];
      totals.low[c] = std::min(totals.low[c], x);
      totals.high[c] = std::max(totals.high[c], x);
      totals.centre_of_mass[c] += mass * x;
      totals.velocity[c] += mass * particles.velocity[3 * i + c];
    }
  }
  for (std::size_t c = 0; c < 3 && totals.mass > 0; ++c) {
    totals.centre_of_mass[c] /= totals.mass;
    totals.velocity[c] /= totals.mass;
  }
  return totals;
}

void require_unique(std::vector<std::uint64_t> ids, const std::filesystem::path& path) {
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end())
    throw DataError(fmt::format("{}: the id {} occurs twice; ids must be unique. In a run {}", path.string(), *twice, how_to_renumber));
}

// The width of the names at the start of a line.
constexpr int name_width = 22;
constexpr const char* not_in_the_file = "not in the file";

std::string line(const std::string& name, const std::string& text) { return fmt::format("{:<{}}{}\n", name, name_width, text); }

std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.10g}", *value) : not_in_the_file; }

std::string vector_text(const std::array<double, 3>& v) { return fmt::format("{:>14.7g} {:>14.7g} {:>14.7g}", v[0], v[1], v[2]); }

/// In code units, and for people where it has a unit.
std::string time_text(const ReadInfo& info) {
  if (!info.time || !info.units || !is_physical(*info.units) || !are_usable(*info.units)) return number(info.time);
  return fmt::format("{} ({})", number(info.time), format_time(*info.time, *info.units));
}

std::string units_text(const std::optional<UnitSystem>& units) {
  if (!units) return not_in_the_file;
  return names_of_units(*units);
}

/// The program that wrote the file, in one line; empty: it does not say.
std::string origin_of(const ReadInfo& info) {
  std::string text;
  for (const char* wanted : {"Code", "Version", "Code Version"})
    for (const auto& [name, value] : info.provenance)
      if (name == wanted && !value.empty()) text += (text.empty() ? "" : ", ") + printable_line(value, 80);
  return text;
}

std::string describe_types(const FileSummary& summary) {
  const ReadInfo& info = summary.info;
  std::string text = fmt::format("\n{:<6} {:<14} {:>16} {:>18}\n", "type", "component", "particles", "mass");
  for (int type = 0; type < particle_type_count; ++type) {
    const auto k = static_cast<std::size_t>(type);
    if (info.count_of_type[k] == 0) continue;
    text +=
        fmt::format("{:<6} {:<14} {:>16} {:>18.10g}\n", type, info.components[k], info.count_of_type[k], summary.totals.mass_of_type[k]);
  }
  return text;
}

std::string notes_of(const ReadInfo& info) {
  std::string text;
  for (const std::string& note : info.notes) text += line("note", note);
  return text;
}

std::string describe_fields(const std::vector<FieldDescription>& fields) {
  std::string text = fmt::format("\n{:<28} {:<6} {}\n", "field", "type", "shape");
  for (const FieldDescription& field : fields) text += fmt::format("{:<28} {:<6} {}\n", field.name, field.type, field.shape);
  return text;
}

std::string describe_extent(const ParticleTotals& totals) {
  std::string text = fmt::format("\n{:<{}}{:>14} {:>14} {:>14}\n", "", name_width, "x", "y", "z");
  return text + line("lowest position", vector_text(totals.low)) + line("highest position", vector_text(totals.high));
}

std::string describe_softenings(const ReadInfo& info) {
  std::string text;
  for (const FileSoftening& softening : info.softenings) {
    const std::string of = softening.type < 0 ? "" : info.components[static_cast<std::size_t>(softening.type)] + ": ";
    const std::string to = softening.highest == softening.lowest ? "" : fmt::format(" to {:.10g}", softening.highest);
    text += line("softening", fmt::format("{}{:.10g}{} ({})", of, softening.lowest, to, softening.what));
  }
  return text;
}

/// Texts of several lines, such as the configuration, follow their name, indented.
std::string describe_provenance(const ReadInfo& info) {
  if (info.provenance.empty()) return "";
  std::string text = "\nwritten by\n";
  for (const auto& [name, value] : info.provenance) {
    if (value.find('\n') == std::string::npos) {
      text += line("  " + name, value);
      continue;
    }
    text += "  " + name + '\n';
    std::istringstream lines(value);
    for (std::string one; std::getline(lines, one);) text += "    " + one + '\n';
  }
  return text;
}

std::string describe_attributes(const std::vector<FileAttribute>& attributes) {
  if (attributes.empty()) return "";
  std::string text = "\nattributes\n", object;
  for (const FileAttribute& attribute : attributes) {
    if (attribute.object != object) text += "  " + attribute.object + '\n';
    object = attribute.object;
    text += fmt::format("    {:<28} {}\n", attribute.name, attribute.value);
  }
  return text;
}

std::string value_in_lines(const SavedState::Value& value) {
  constexpr std::size_t longest = 8;
  const auto describe = [&]<class T>(const T& values) -> std::string {
    if constexpr (std::is_same_v<T, std::string>)
      return printable_text(values);
    else
      return values.size() > longest ? fmt::format("{} numbers", values.size()) : fmt::format("{}", fmt::join(values, " "));
  };
  std::string text;
  std::istringstream lines(std::visit(describe, value));
  for (std::string one; std::getline(lines, one);) text += "    " + one + '\n';
  return text;
}

}  // namespace

FileSummary summarise_file(const std::filesystem::path& path, const std::string& columns) {
  const DetectedFile found = detect_format(path);
  const Communicator alone(MPI_COMM_SELF);
  FileSummary summary;
  summary.path = found.path;
  const ParticleSet particles = read_particles(found.path, alone, &summary.info, standard_fields(), columns);
  require_unique(particles.id, found.path);
  summary.totals = totals_of(particles);
  summary.fields = columns.empty() ? found.format->fields(found.path) : found.format->fields_of_columns(found.path, columns);
  if (found.format->attributes) summary.attributes = found.format->attributes(found.path);
  if (const std::string why = why_not_isolated(summary.info.universe); !why.empty())
    summary.info.notes.push_back(fmt::format("the file {}. A run refuses it; {}", why, how_to_allow));
  return summary;
}

std::string short_description(const FileSummary& summary) {
  const ReadInfo& info = summary.info;
  std::string text = line("file", summary.path.string()) + line("format", info.format);
  if (const std::string origin = origin_of(info); !origin.empty()) text += line("written by", origin);
  text += line("particles", std::to_string(info.count())) + line("total mass", fmt::format("{:.10g}", summary.totals.mass));
  text += line("time", time_text(info)) + line("units", units_text(info.units));
  return text + notes_of(info) + describe_types(summary) + describe_extent(summary.totals);
}

std::string full_description(const FileSummary& summary) {
  const ReadInfo& info = summary.info;
  std::string text = line("file", summary.path.string()) + line("format", info.format) + line("particles", std::to_string(info.count()));
  text += line("time", time_text(info)) + line("box size", number(info.universe.box_size)) + line("G", number(info.G));
  text += line("units", units_text(info.units)) + describe_softenings(info) + notes_of(info);
  text += describe_types(summary) + describe_fields(summary.fields) + describe_extent(summary.totals);
  text += line("centre of mass", vector_text(summary.totals.centre_of_mass)) + line("its velocity", vector_text(summary.totals.velocity));
  text += line("total mass", fmt::format("{:>14.10g}", summary.totals.mass));
  return text + describe_provenance(info) + describe_attributes(summary.attributes);
}

std::string describe_checkpoint(const std::filesystem::path& path, bool is_full) {
  const SavedState state = read_checkpoint_state(path);
  const SavedState::Counts& ranks = state.counts(particles_of_ranks);
  std::string text = line("file", path.string()) + line("format", "checkpoint of Grove: 'grove run CONFIG.toml --continue' starts from it");
  text += line("particles", fmt::format("{} of {} ranks", std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0}), ranks.size()));
  if (!is_full) {
    if (state.has("run.step")) text += line("step", std::to_string(state.count("run.step")));
    if (state.has("simulation.time")) text += line("time", number(state.number("simulation.time")));
    return text;
  }
  text += '\n';
  for (const auto& [name, value] : state.values()) text += name + '\n' + value_in_lines(value);
  return text;
}

}  // namespace grove
