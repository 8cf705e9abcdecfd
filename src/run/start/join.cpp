#include "src/run/start/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "decomposition/domain/sort_by_id.hpp"
#include "decomposition/ranks/exact_sum.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "src/run/files/same_on_all_ranks.hpp"

namespace grove {

namespace {

constexpr auto types = static_cast<std::size_t>(particle_type_count);

/// Rotates `v` about coordinate axis `axis` by `angle`, rad.
void turn(double (&v)[3], std::size_t axis, double angle) {
  double &a = v[(axis + 1) % 3], &b = v[(axis + 2) % 3];
  const double turned = std::cos(angle) * a - std::sin(angle) * b;
  b = std::sin(angle) * a + std::cos(angle) * b;
  a = turned;
}

void move(std::vector<double>& vectors, const JoinPart& part, const double (&by)[3]) {
  for (std::size_t i = 0; i + 2 < vectors.size(); i += 3) {
    double v[3] = {vectors[i], vectors[i + 1], vectors[i + 2]};
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (part.rotate[axis] != 0) turn(v, axis, part.rotate[axis] * std::numbers::pi / 180);
    for (std::size_t d = 0; d < 3; ++d) vectors[i + d] = v[d] + by[d];
  }
}

void require_same_scale(const std::string& file, const ReadInfo& info, const std::string& first, const ReadInfo& of_first,
                        std::vector<std::string>& notes) {
  const auto require = [&](const char* what, double a, double b) {
    if (differ(a, b, same_when_joined))
      throw DataError(fmt::format("{} has {} {:.8g}, {} has {:.8g}: files must agree to be joined", file, what, a, first, b));
  };
  if (info.units && of_first.units) {
    if (is_physical(*info.units) != is_physical(*of_first.units))
      throw DataError(fmt::format("{} has {}, {} has {}: files must agree to be joined", file, in_words(*info.units), first,
                                  in_words(*of_first.units)));
    require("a unit of length in cm of", info.units->length_in_cm, of_first.units->length_in_cm);
    require("a unit of mass in g of", info.units->mass_in_g, of_first.units->mass_in_g);
    require("a unit of velocity in cm/s of", info.units->velocity_in_cm_per_s, of_first.units->velocity_in_cm_per_s);
  }
  if (info.units && !of_first.units)
    throw DataError(fmt::format("{} has {}, {} names no units: begin with {}", file, in_words(*info.units), first, file));
  if (!info.units && of_first.units)
    notes.push_back(fmt::format("{} names no units: its numbers are taken to be in those of {}", file, first));
  if (info.time && of_first.time && differ(*info.time, *of_first.time, same_when_joined))
    notes.push_back(fmt::format("{} has time {:.6g}, {} has {:.6g}, which is kept", file, *info.time, first, *of_first.time));
}

/// `joined` has the G of `file_of_G`, the first file that names one; if there is none yet, that of this file.
void join_G(const std::string& file, const ReadInfo& info, std::string& file_of_G, ReadInfo& joined) {
  if (!info.G) return;
  if (joined.G && differ(*info.G, *joined.G, same_when_joined))
    throw DataError(fmt::format("{} has G = {:.8g}, {} has {:.8g}: files must agree to be joined", file, *info.G, file_of_G, *joined.G));
  if (joined.G) return;
  joined.G = info.G;
  file_of_G = file;
}

void require_isolated(const std::string& file, const ReadInfo& info) {
  if (const std::string why = why_not_isolated(info.universe); !why.empty())
    throw DataError(fmt::format("{}: {}. Files that are joined must be of isolated systems", file, why));
}

/// The softening of one type in a file, where the file says one length for it.
std::optional<double> softening_of(const ReadInfo& info, std::size_t type) {
  std::optional<double> length;
  for (const FileSoftening& softening : info.softenings) {
    if (softening.type >= 0 && static_cast<std::size_t>(softening.type) != type) continue;
    if (!(softening.lowest == softening.highest) || (length && *length != softening.highest)) return std::nullopt;
    length = softening.highest;
  }
  return length && *length > 0 ? length : std::nullopt;
}

/// The softenings of the components of the new file, if the files say one for each of them.
class Softenings {
 public:
  /// `to`: where each type of the file goes.
  void add(const std::string& file, const ReadInfo& info, const TypeCounts& counts, const std::array<std::uint8_t, types>& to) {
    for (std::size_t t = 0; t < types; ++t) {
      if (counts[t] == 0) continue;
      const std::optional<double> length = softening_of(info, t);
      std::optional<double>& own = length_[to[t]];
      if (length) is_known_ = true;
      if (!length && why_not_.empty()) why_not_ = fmt::format("{} has none for its component \"{}\"", file, info.components[t]);
      if (length && own && *own != *length && why_not_.empty())
        why_not_ = fmt::format("{} has {:.6g} where the files before it have {:.6g}, for \"{}\"", file, *length, *own, info.components[t]);
      if (length && !own) own = length;
    }
  }

  std::vector<FileSoftening> of_new_file() const {
    std::vector<FileSoftening> all;
    for (std::size_t t = 0; t < types && why_not_.empty(); ++t)
      if (length_[t]) all.push_back({"the files", *length_[t], *length_[t], static_cast<int>(t)});
    return all;
  }
  /// Empty where they are kept, or there are none.
  std::string note() const {
    if (!is_known_ || why_not_.empty()) return "";
    return fmt::format("the new file has no softening: {}. gravity.softening of the run has it", why_not_);
  }

 private:
  std::array<std::optional<double>, types> length_;
  bool is_known_ = false;  ///< of one component at least
  std::string why_not_;
};

/// A component of a file, and what becomes of it.
struct FileComponent {
  std::size_t type_in_file;
  std::string given_name;           ///< by the file or the user; may be empty
  std::string name;                 ///< in the new file; at first the given one or the usual one of the type
  std::optional<std::size_t> type;  ///< given by the user; then that in the new file
};

/// The components of a file with the names and types that the user gives them. Throws ConfigError.
std::vector<FileComponent> components_of(const JoinPart& part, const TypeCounts& counts, const ReadInfo& info) {
  std::vector<FileComponent> components;
  std::string all;
  for (std::size_t t = 0; t < types; ++t) {
    if (counts[t] == 0) continue;
    components.push_back({t, info.is_named[t] ? info.components[t] : "", info.components[t], std::nullopt});
    all += (all.empty() ? "" : ", ") + info.components[t];
  }
  const auto require_number = [&](const char* option, std::size_t given) {
    if (given != 0 && given != components.size())
      throw ConfigError(
          fmt::format("{} has {} for {}, whose components are {} ({}): say one for each, with commas between them, - for one that stays",
                      option, given, part.file, components.size(), all));
  };
  require_number("--name", part.names.size());
  require_number("--type", part.types.size());
  for (std::size_t k = 0; k < components.size(); ++k) {
    if (!part.types.empty()) components[k].type = part.types[k];
    if (part.names.empty() || part.names[k].empty()) continue;
    components[k].name = components[k].given_name = part.names[k];
  }
  return components;
}

bool has_name(const std::vector<FileComponent>& components, const std::string& name) {
  return std::any_of(components.begin(), components.end(), [&](const FileComponent& c) { return c.name == name; });
}

/// The components of the new file so far.
class Components {
 public:
  explicit Components(bool merges) : merges_(merges) {}

  /// Where each type of a file goes. Throws DataError, and ConfigError for names and types that the user gives.
  std::array<std::uint8_t, types> place(const JoinPart& part, const TypeCounts& counts, const ReadInfo& info) {
    std::vector<FileComponent> merged, own, to_number;
    for (FileComponent& c : components_of(part, counts, info))
      (merges_into(c) ? merged : is_taken(c.name) || has_name(own, c.name) ? to_number : own).push_back(c);
    for (FileComponent& c : to_number) {
      c.name = free_name(c.name, own);
      own.push_back(c);
    }
    // Types that are given come first, then those that stay.
    for (const bool is_given : {true, false})
      for (FileComponent& c : own) {
        if (is_given ? !c.type : c.type || !slots_[c.type_in_file].name.empty()) continue;
        if (!is_given) c.type = c.type_in_file;
        take(c, part);
      }
    for (FileComponent& c : own) {
      if (c.type) continue;
      c.type = free_type(c, part);
      take(c, part);
    }
    std::array<std::uint8_t, types> to{};
    std::array<std::string, types> lines;
    for (const auto* some : {&merged, &own})
      for (const FileComponent& c : *some) {
        to[c.type_in_file] = static_cast<std::uint8_t>(*c.type);
        lines[c.type_in_file] = line_of(part, c, info, some == &merged);
      }
    for (const std::string& line : lines) text_ += line;
    return to;
  }

  ComponentNames names() const {
    ComponentNames all = usual_component_names();
    for (std::size_t t = 0; t < types; ++t)
      if (!slots_[t].name.empty()) all[t] = slots_[t].name;
    return all;
  }
  /// A line for each component of the files.
  const std::string& text() const { return text_; }

 private:
  struct Slot {
    std::string given_name, name, file;  ///< no name: the type is free
  };

  bool is_taken(const std::string& name) const {
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.name == name; });
  }

  /// Whether the component becomes part of one of an earlier file, whose type it then has.
  bool merges_into(FileComponent& c) const {
    if (!merges_ || c.given_name.empty()) return false;
    const auto same = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.given_name == c.given_name; });
    if (same == slots_.end()) return false;
    const auto type = static_cast<std::size_t>(same - slots_.begin());
    if (c.type.value_or(type) != type)
      throw ConfigError(fmt::format("--type {}: --merge puts \"{}\" together with that of {}, which has type {}", *c.type, c.given_name,
                                    same->file, type));
    c.type = type;
    c.name = same->name;
    return true;
  }

  /// "disc 2" for "disc", or the next number that neither an earlier file nor one of `others` has.
  std::string free_name(const std::string& name, const std::vector<FileComponent>& others) const {
    const std::size_t end = name.find_last_not_of("0123456789");
    const bool has_number = end != std::string::npos && end + 1 < name.size() && end > 0 && name[end] == ' ';
    const std::string stem = has_number ? name.substr(0, end) : name;
    for (int number = 2;; ++number) {
      std::string next = fmt::format("{} {}", stem, number);
      if (!is_taken(next) && !has_name(others, next)) return next;
    }
  }

  std::size_t free_type(const FileComponent& c, const JoinPart& part) const {
    const auto free = std::find_if(slots_.begin() + 1, slots_.end(), [](const Slot& s) { return s.name.empty(); });
    if (free == slots_.end())
      throw DataError(
          fmt::format("{}: there is no particle type left for its component \"{}\": a snapshot has room for {} components, one of them of "
                      "gas. --merge makes one component of those that have one name, and --name gives names",
                      part.file, c.name, types));
    return static_cast<std::size_t>(free - slots_.begin());
  }

  void take(const FileComponent& c, const JoinPart& part) {
    Slot& slot = slots_[*c.type];
    if (!slot.name.empty())
      throw ConfigError(fmt::format("--type {}: \"{}\" of {} has this type, so \"{}\" of {} cannot have it: choose other types", *c.type,
                                    slot.name, slot.file, c.name, part.file));
    slot = {c.given_name, c.name, part.file};
  }

  static std::string line_of(const JoinPart& part, const FileComponent& c, const ReadInfo& info, bool is_merged) {
    const std::size_t from = c.type_in_file;
    const bool stays = *c.type == from && c.name == info.components[from];
    const std::string what = info.is_named[from] ? fmt::format("{} of {}", info.components[from], part.file)
                                                 : fmt::format("type {} of {}, which has no name there,", from, part.file);
    return what + fmt::format(" is {}\"{}\", type {}\n", is_merged ? "now part of " : stays ? "" : "now ", c.name, *c.type);
  }

  bool merges_;
  std::array<Slot, types> slots_;
  std::string text_;
};

/// Raises ids above `highest`, that of all files before, and returns the new highest.
std::uint64_t raise_ids(ParticleSet& particles, const std::string& file, std::uint64_t highest, bool is_first, const Communicator& comm,
                        std::vector<std::string>& notes) {
  std::uint64_t own = 0;
  for (const std::uint64_t id : particles.id) own = std::max(own, id);
  own = comm.max(own);
  if (is_first) return own;
  const std::uint64_t by = highest + 1;
  comm.agree([&] {
    if (by == 0 || own > std::numeric_limits<std::uint64_t>::max() - by)
      throw DataError(fmt::format("{}: its ids, up to {}, cannot be raised by {} without an overflow", file, own, by));
  });
  for (std::uint64_t& id : particles.id) id += by;
  notes.push_back(fmt::format("{}: ids are raised by {}", file, by));
  return own + by;
}

/// Shifts all particles so that the centre of mass and the mean velocity are zero; the same bits on any number of ranks. Collective.
void move_to_centre(ParticleSet& particles, const Communicator& comm) {
  std::vector<double>&position = particles.position, &velocity = particles.velocity;
  const auto sums = exact_sums<7>(particles.size(), comm, [&](std::size_t i, std::array<ExactSum, 7>& sum) {
    const double mass = particles.mass[i];
    for (std::size_t d = 0; d < 3; ++d) {
      sum[d].add(mass * position[3 * i + d]);
      sum[3 + d].add(mass * velocity[3 * i + d]);
    }
    sum[6].add(mass);
  });
  if (!(sums[6] > 0)) return;
  for (std::size_t d = 0; d < 3; ++d) {
    const double centre = sums[d] / sums[6], mean = sums[3 + d] / sums[6];
    for (std::size_t k = d; k < position.size(); k += 3) {
      position[k] -= centre;
      velocity[k] -= mean;
    }
  }
}

}  // namespace

void append(const ParticleSet& part, ParticleSet& all) {
  const auto add = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  add(part.position, all.position);
  add(part.velocity, all.velocity);
  add(part.mass, all.mass);
  add(part.id, all.id);
  add(part.type, all.type);
}

InitialState join_files(const std::vector<JoinPart>& parts, const JoinChoice& choice, const Communicator& comm) {
  InitialState joined;
  std::vector<std::string>& notes = joined.info.notes;
  Components components(choice.merge);
  Softenings softenings;
  std::uint64_t highest = 0;
  std::string file_of_G = parts[0].file;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const JoinPart& part = parts[k];
    require_same_file(part.file, "FILE", comm);
    ReadInfo info;
    ParticleSet particles = read_particles(part.file, comm, &info);
    if (part.renumber) renumber(particles, comm);
    require_unique_ids(particles.id, part.file, comm, "--renumber replaces them by the numbers of the rows");
    if (k == 0)
      joined.info = info;
    else
      notes.insert(notes.end(), info.notes.begin(), info.notes.end());
    const TypeCounts counts = count_of_types(particles, comm);
    comm.agree([&] {
      require_isolated(part.file, info);
      if (k > 0) require_same_scale(part.file, info, parts[0].file, joined.info, notes);
      join_G(part.file, info, file_of_G, joined.info);
      const auto to = components.place(part, counts, info);
      softenings.add(part.file, info, counts, to);
      for (std::uint8_t& type : particles.type) type = to[type];
    });
    highest = raise_ids(particles, part.file, highest, k == 0, comm, notes);
    move(particles.position, part, part.shift);
    move(particles.velocity, part, part.boost);
    append(particles, joined.particles);
  }
  if (choice.recentre) move_to_centre(joined.particles, comm);
  joined.info.softenings = softenings.of_new_file();
  notes.push_back(softenings.note());
  joined.components = components.names();
  joined.description = components.text();
  joined.count = comm.sum(static_cast<std::uint64_t>(joined.particles.size()));
  return joined;
}

}  // namespace grove
