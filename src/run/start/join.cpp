#include "src/run/start/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "decomposition/domain/sort_by_id.hpp"
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

void add_note_on_softening(const std::string& file, const ReadInfo& info, std::vector<std::string>& notes) {
  double lowest = 0, highest = 0;
  for (const FileSoftening& softening : info.softenings) {
    lowest = highest == 0 ? softening.lowest : std::min(lowest, softening.lowest);
    highest = std::max(highest, softening.highest);
  }
  if (highest == 0) return;
  const std::string length = lowest == highest ? fmt::format("{:.6g}", highest) : fmt::format("{:.6g} to {:.6g}", lowest, highest);
  notes.push_back(fmt::format("{} has softening {}, which the new file does not keep: gravity.softening of the run has it", file, length));
}

/// The types of what has been joined so far.
class Components {
 public:
  /// Where each type of a file goes. Throws DataError.
  std::array<std::uint8_t, types> place(const std::string& file, const TypeCounts& counts, const ComponentNames& names,
                                        std::vector<std::string>& notes) {
    std::array<std::uint8_t, types> to{};
    std::vector<std::size_t> homeless;
    for (std::size_t t = 0; t < types; ++t) {
      if (counts[t] == 0) continue;
      const std::size_t same = std::find(names_.begin(), names_.end(), names[t]) - names_.begin();
      if (same < types || names_[t].empty()) {
        to[t] = take(same < types ? same : t, names[t]);
        if (to[t] != t) say(file, t, to[t], names[t], notes);
      } else {
        homeless.push_back(t);
      }
    }
    for (const std::size_t t : homeless) {
      const std::size_t free = std::find(names_.begin() + 1, names_.end(), "") - names_.begin();
      if (free == types)
        throw DataError(
            fmt::format("{}: there is no particle type left for its component \"{}\": a snapshot has room for {} components, one "
                        "of them of gas",
                        file, names[t], types));
      to[t] = take(free, names[t]);
      say(file, t, free, names[t], notes);
    }
    return to;
  }

  ComponentNames names() const {
    ComponentNames all = usual_component_names();
    for (std::size_t t = 0; t < types; ++t)
      if (!names_[t].empty()) all[t] = names_[t];
    return all;
  }

 private:
  std::uint8_t take(std::size_t type, const std::string& name) {
    names_[type] = name;
    return static_cast<std::uint8_t>(type);
  }
  static void say(const std::string& file, std::size_t from, std::size_t to, const std::string& name, std::vector<std::string>& notes) {
    notes.push_back(fmt::format("{}: component \"{}\" gets type {} instead of {}", file, name, to, from));
  }

  ComponentNames names_;  ///< empty: the type is free
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

void append(const ParticleSet& part, ParticleSet& all) {
  const auto add = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  add(part.position, all.position);
  add(part.velocity, all.velocity);
  add(part.mass, all.mass);
  add(part.id, all.id);
  add(part.type, all.type);
}

/// A sum over all ranks that does not depend on who adds what: terms are rounded to multiples of 2^-60 of the largest, and added as whole
/// numbers. `largest` must be the same on all ranks.
class ExactSum {
 public:
  explicit ExactSum(double largest) : exponent_(60 - std::ilogb(largest > 0 ? largest : 1.0)) {}
  void add(double term) { sum_ += static_cast<std::int64_t>(std::llrint(std::ldexp(term, exponent_))); }
  /// Collective.
  double total(const Communicator& comm) const {
    __extension__ __int128 all = 0;
    for (const auto& some : comm.all_gather(sum_)) all += some;
    return std::ldexp(static_cast<double>(all), -exponent_);
  }

 private:
  int exponent_;
  __extension__ __int128 sum_ = 0;
};

double sum_over_ranks(const ParticleSet& p, const Communicator& comm, const std::vector<double>* vectors, std::size_t d) {
  const auto term = [&](std::size_t i) { return p.mass[i] * (vectors ? (*vectors)[3 * i + d] : 1.0); };
  double largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) largest = std::max(largest, std::abs(term(i)));
  ExactSum sum(comm.max(largest));
  for (std::size_t i = 0; i < p.size(); ++i) sum.add(term(i));
  return sum.total(comm);
}

/// Shifts all particles so that the centre of mass and the mean velocity are zero; the same bits on any number of ranks. Collective.
void move_to_centre(ParticleSet& particles, const Communicator& comm) {
  const double mass = sum_over_ranks(particles, comm, nullptr, 0);
  if (!(mass > 0)) return;
  for (std::vector<double>* vectors : {&particles.position, &particles.velocity})
    for (std::size_t d = 0; d < 3; ++d) {
      const double mean = sum_over_ranks(particles, comm, vectors, d) / mass;
      for (std::size_t i = d; i < vectors->size(); i += 3) (*vectors)[i] -= mean;
    }
}

}  // namespace

InitialState join_files(const std::vector<JoinPart>& parts, bool recentre, const Communicator& comm) {
  InitialState joined;
  std::vector<std::string>& notes = joined.info.notes;
  Components components;
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
      add_note_on_softening(part.file, info, notes);
      if (k > 0) require_same_scale(part.file, info, parts[0].file, joined.info, notes);
      join_G(part.file, info, file_of_G, joined.info);
      const auto to = components.place(part.file, counts, info.components, notes);
      for (std::uint8_t& type : particles.type) type = to[type];
    });
    highest = raise_ids(particles, part.file, highest, k == 0, comm, notes);
    move(particles.position, part, part.shift);
    move(particles.velocity, part, part.boost);
    append(particles, joined.particles);
  }
  if (recentre) move_to_centre(joined.particles, comm);
  joined.components = components.names();
  joined.count = comm.sum(static_cast<std::uint64_t>(joined.particles.size()));
  return joined;
}

}  // namespace grove
