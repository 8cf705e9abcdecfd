#include "io/info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>

#include "decomposition/communicator.hpp"
#include "io/checkpoint_file.hpp"
#include "io/input_format.hpp"
#include "io/reader.hpp"
#include "io/sealed_file.hpp"

namespace grove {

namespace {

// Width of the names at the start of a line.
constexpr int name_width = 22;

std::string line(const std::string& name, const std::string& text) { return fmt::format("{:<{}}{}\n", name, name_width, text); }

std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.10g}", *value) : "not in the file"; }

struct Summary {
  double mass = 0;
  std::array<double, 3> low{}, high{}, centre_of_mass{}, velocity{};
  std::array<double, particle_type_count> mass_of_type{};
};

Summary summarise(const ParticleSet& particles) {
  Summary summary;
  std::copy_n(particles.position.begin(), 3, summary.low.begin());
  summary.high = summary.low;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double mass = particles.mass[i];
    summary.mass += mass;
    summary.mass_of_type[particles.type[i]] += mass;
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = particles.position[3 * i + c];
      summary.low[c] = std::min(summary.low[c], x);
      summary.high[c] = std::max(summary.high[c], x);
      summary.centre_of_mass[c] += mass * x;
      summary.velocity[c] += mass * particles.velocity[3 * i + c];
    }
  }
  for (std::size_t c = 0; c < 3 && summary.mass > 0; ++c) {
    summary.centre_of_mass[c] /= summary.mass;
    summary.velocity[c] /= summary.mass;
  }
  return summary;
}

std::string vector_text(const std::array<double, 3>& v) { return fmt::format("{:>14.7g} {:>14.7g} {:>14.7g}", v[0], v[1], v[2]); }

std::string describe_header(const std::filesystem::path& path, const ReadInfo& info) {
  std::string text = line("file", path.string()) + line("format", info.format) + line("particles", std::to_string(info.count()));
  text += line("time", number(info.time)) + line("box size", number(info.box_size)) + line("G", number(info.G));
  if (info.units && !is_physical(*info.units)) {
    text += line("units", "N-body units");
  } else if (info.units) {
    const auto& [length, mass, velocity] = *info.units;
    text += line("units", fmt::format("length {:.6g} cm, mass {:.6g} g, velocity {:.6g} cm/s", length, mass, velocity));
  } else {
    text += line("units", "not in the file");
  }
  for (const std::string& note : info.notes) text += line("note", note);
  return text;
}

std::string describe_types(const ReadInfo& info, const Summary& summary) {
  std::string text = fmt::format("\n{:<6} {:<14} {:>16} {:>18}\n", "type", "component", "particles", "mass");
  for (int type = 0; type < particle_type_count; ++type) {
    const auto k = static_cast<std::size_t>(type);
    if (info.count_of_type[k] == 0) continue;
    text += fmt::format("{:<6} {:<14} {:>16} {:>18.10g}\n", type, component_name(type), info.count_of_type[k], summary.mass_of_type[k]);
  }
  return text;
}

std::string describe_fields(const std::vector<FieldDescription>& fields) {
  std::string text = fmt::format("\n{:<28} {:<6} {}\n", "field", "type", "shape");
  for (const FieldDescription& field : fields) text += fmt::format("{:<28} {:<6} {}\n", field.name, field.type, field.shape);
  return text;
}

std::string describe_extent(const Summary& summary) {
  std::string text = fmt::format("\n{:<{}}{:>14} {:>14} {:>14}\n", "", name_width, "x", "y", "z");
  text += line("lowest position", vector_text(summary.low)) + line("highest position", vector_text(summary.high));
  text += line("centre of mass", vector_text(summary.centre_of_mass)) + line("its velocity", vector_text(summary.velocity));
  return text + line("total mass", fmt::format("{:>14.10g}", summary.mass));
}

/// Texts of several lines, such as the configuration, go below their name, indented.
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

/// The values of the state by name; of long ones their length.
std::string describe_checkpoint(const std::filesystem::path& path) {
  constexpr std::size_t longest = 8;
  const SavedState state = read_checkpoint_state(path);
  const SavedState::Counts& ranks = state.counts(particles_of_ranks);
  std::string text =
      line("file", path.string()) + line("format", "checkpoint of Grove: 'grove run CONFIG.toml --continue' goes on from it");
  text +=
      line("particles", fmt::format("{} of {} ranks", std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0}), ranks.size())) + '\n';
  for (const auto& [name, value] : state.values()) {
    text += name + '\n';
    const auto describe = [&]<class T>(const T& values) -> std::string {
      if constexpr (std::is_same_v<T, std::string>)
        return values;
      else
        return values.size() > longest ? fmt::format("{} numbers", values.size()) : fmt::format("{}", fmt::join(values, " "));
    };
    std::istringstream lines(std::visit(describe, value));
    for (std::string one; std::getline(lines, one);) text += "    " + one + '\n';
  }
  return text;
}

}  // namespace

std::string describe_file(const std::filesystem::path& path) {
  if (has_seal(path)) return describe_checkpoint(path);
  const DetectedFile found = detect_format(path);
  const Communicator alone(MPI_COMM_SELF);
  ReadInfo info;
  const ParticleSet particles = read_particles(found.path, alone, &info);
  const Summary summary = summarise(particles);
  return describe_header(found.path, info) + describe_types(info, summary) + describe_fields(found.format->fields(found.path)) +
         describe_extent(summary) + describe_provenance(info);
}

}  // namespace grove
