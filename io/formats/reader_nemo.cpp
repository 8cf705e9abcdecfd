// Snapshots of NEMO, the stellar dynamics toolbox, in its structured binary files of both byte orders and both precisions.
//
// A file is a sequence of items: a number of 2 bytes that says whether dimensions follow, a letter for the type of the elements, a name,
// the dimensions, and the elements. Items of the types '(' and ')' begin and end a set of others. A set SnapShot has the sets Parameters
// (Nobj, Time) and Particles (Mass, and Position and Velocity or PhaseSpace) (NEMO's manual pages filestruct(5) and snapshot(5)).
//
// A file must have one snapshot. All particles are of type 1, ids are row numbers from 0. Other data of the particles (keys, potentials,
// ...) are not used; a note says so.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/files/binary_values.hpp"
#include "io/files/printable.hpp"
#include "io/formats/input_format.hpp"
#include "io/formats/particle_rows.hpp"
#include "io/formats/shared.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr std::uint16_t single_item = 0x0992, item_with_dimensions = 0x0b92;
constexpr char begin_set = '(', end_set = ')';
constexpr std::size_t longest_name = 64, most_dimensions = 9, deepest_set = 8;
constexpr std::int32_t cartesian = 0x010302;  // coordinates in 3 dimensions, with velocities

/// Bytes of an element; 0 for letters that are not a type.
std::uint32_t element_bytes(char type) {
  switch (type) {
    case 'a':
    case 'b':
    case 'c':
      return 1;
    case 's':
    case 'h':
      return 2;
    case 'i':
    case 'f':
      return 4;
    case 'l':
    case 'd':
      return 8;
    default:
      return 0;
  }
}

bool is_type(char type) { return type == begin_set || type == end_set || element_bytes(type) > 0; }

struct Item {
  char type = 0;
  std::string name;
  std::vector<std::uint64_t> dimensions;
  std::uint64_t offset = 0;  // of the elements
};

/// The items of a file in order. No size in the file is trusted before it is compared with the size of the file.
class Items {
 public:
  explicit Items(const std::filesystem::path& path) : path_(path), file_(open_binary(path)), size_(std::filesystem::file_size(path)) {
    const auto magic = number<std::uint16_t>();
    swapped_ = magic != single_item && magic != item_with_dimensions;
    at_ = 0;
  }

  bool swapped() const { return swapped_; }
  bool at_end() const { return at_ == size_; }
  Item next();
  /// The first element of an item, as a number.
  double value(const Item& item);
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: is damaged or truncated: at byte {} of {} {}", path_.string(), at_, size_, what));
  }

 private:
  template <class T>
  T number() {
    if (size_ - at_ < sizeof(T)) fail("the file ends within an item");
    char bytes[sizeof(T)];
    if (!file_.seekg(static_cast<std::streamoff>(at_)).read(bytes, sizeof(T))) throw SystemError(path_.string() + ": cannot be read");
    at_ += sizeof(T);
    return load_number<T>(bytes, swapped_);
  }
  std::string word(std::size_t longest);

  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t size_ = 0, at_ = 0;
  bool swapped_ = false;
};

std::string Items::word(std::size_t longest) {
  std::string text;
  for (char c = number<char>(); c != '\0'; c = number<char>()) {
    text += c;
    if (text.size() > longest) fail("there is a name that is too long");
  }
  return text;
}

Item Items::next() {
  const auto magic = number<std::uint16_t>();
  if (magic != single_item && magic != item_with_dimensions) fail("there is no item");
  const std::string type = word(1);
  if (type.size() != 1 || !is_type(type[0])) fail("there is an item of no known type");
  Item item;
  item.type = type[0];
  if (item.type != end_set) item.name = printable_line(word(longest_name));
  std::uint64_t bytes = element_bytes(item.type);
  if (magic == item_with_dimensions) {
    for (auto n = number<std::int32_t>(); n != 0; n = number<std::int32_t>()) {
      if (n < 0 || item.dimensions.size() == most_dimensions) fail("there is an item with a wrong dimension");
      item.dimensions.push_back(static_cast<std::uint64_t>(n));
      if (bytes > size_ / item.dimensions.back()) fail(fmt::format("{} is larger than the file", item.name));
      bytes *= item.dimensions.back();
    }
  }
  item.offset = at_;
  if (bytes > size_ - at_) fail(fmt::format("{} has {} bytes, which go beyond the end of the file", item.name, bytes));
  at_ += bytes;
  return item;
}

double Items::value(const Item& item) {
  const std::uint64_t after = std::exchange(at_, item.offset);
  double value = 0;
  if (item.type == 'f')
    value = number<float>();
  else if (item.type == 'd')
    value = number<double>();
  else if (item.type == 'i')
    value = number<std::int32_t>();
  else if (item.type == 'l')
    value = static_cast<double>(number<std::int64_t>());
  else
    fail(item.name + " is no number");
  at_ = after;
  if (!std::isfinite(value)) fail(fmt::format("{} is {}", item.name, value));
  return value;
}

/// The places of the particles in a file.
struct NemoSnapshot {
  std::uint64_t particles = 0;
  std::optional<double> time;
  NumbersInFile mass;                ///< [particles]
  NumbersInFile position, velocity;  ///< [particles][3]
  NumbersInFile phase_space;         ///< [particles][2][3]: position, velocity; in place of both
};

/// Finds the items of the sets Parameters and Particles of one snapshot.
class SnapshotFinder {
 public:
  SnapshotFinder(Items& items, std::vector<std::string>& unused) : items_(items), unused_(unused) {}

  /// Reads to the end of the file. Returns the number of snapshots with particles.
  std::size_t read_all() {
    std::vector<std::string> sets;
    std::size_t snapshots = 0;
    while (!items_.at_end()) {
      const Item item = items_.next();
      if (item.type == begin_set) {
        if (sets.size() == deepest_set) items_.fail("sets lie too deep in each other");
        sets.push_back(item.name);
        if (snapshots == 0 && sets == std::vector<std::string>{"SnapShot"}) found_ = {};
        if (is_in(sets, "Particles")) ++snapshots;
      } else if (item.type == end_set) {
        if (sets.empty()) items_.fail("a set ends that did not begin");
        sets.pop_back();
      } else if (is_in(sets, "Parameters") && snapshots == 0) {
        take_parameter(item);
      } else if (is_in(sets, "Particles") && snapshots == 1) {
        take_field(item);
      }
    }
    if (!sets.empty()) items_.fail(fmt::format("the set {} has no end", sets.back()));
    return snapshots;
  }
  const NemoSnapshot& found() const { return found_; }

 private:
  static bool is_in(const std::vector<std::string>& sets, const char* name) {
    return sets.size() == 2 && sets[0] == "SnapShot" && sets[1] == name;
  }

  void take_parameter(const Item& item) {
    if (item.name == "Nobj") {
      const double n = items_.value(item);
      if (!(n >= 0) || n != std::floor(n) || n >= 0x1p53) items_.fail(fmt::format("Nobj is {}", n));
      found_.particles = static_cast<std::uint64_t>(n);
    } else if (item.name == "Time") {
      found_.time = items_.value(item);
    }
  }

  void take_field(const Item& item) {
    if (item.name == "Mass")
      take(item, {found_.particles}, found_.mass);
    else if (item.name == "Position")
      take(item, {found_.particles, 3}, found_.position);
    else if (item.name == "Velocity")
      take(item, {found_.particles, 3}, found_.velocity);
    else if (item.name == "PhaseSpace")
      take(item, {found_.particles, 2, 3}, found_.phase_space);
    else if (item.name == "CoordSystem" && items_.value(item) != cartesian)
      items_.fail("the coordinates are not Cartesian ones of 3 dimensions");
    else if (item.name != "CoordSystem")
      unused_.push_back(item.name);
  }

  void take(const Item& item, const std::vector<std::uint64_t>& shape, NumbersInFile& numbers) {
    if (numbers) items_.fail(item.name + " stands there a second time");
    if ((item.type != 'f' && item.type != 'd') || item.dimensions != shape) {
      items_.fail(fmt::format("{} has the type {} and the shape [{}]; floating-point numbers [{}] are needed", item.name, item.type,
                              fmt::join(item.dimensions, " x "), fmt::join(shape, " x ")));
    }
    numbers = {item.offset, element_bytes(item.type), items_.swapped()};
  }

  Items& items_;
  std::vector<std::string>& unused_;
  NemoSnapshot found_;
};

bool recognises_nemo(const FileHead& head) {
  if (head.bytes.size() < 4 || !is_type(head.bytes[2]) || head.bytes[3] != '\0') return false;
  for (const bool swapped : {false, true}) {
    const auto magic = load_number<std::uint16_t>(head.bytes.data(), swapped);
    if (magic == single_item || magic == item_with_dimensions) return true;
  }
  return false;
}

/// Finds the only snapshot of a file; adds the names of unused data to `unused`.
/// @throws DataError for damaged files, and for those with no snapshot or several
NemoSnapshot read_nemo_snapshot(const std::filesystem::path& path, std::vector<std::string>& unused) {
  if (!recognises_nemo(read_head(path))) throw DataError(path.string() + ": does not begin as a structured file of NEMO");
  Items items(path);
  SnapshotFinder finder(items, unused);
  const std::size_t snapshots = finder.read_all();
  const NemoSnapshot& found = finder.found();
  if (snapshots > 1) {
    throw DataError(fmt::format("{}: holds {} snapshots; take out the one that is meant, e.g. the first: snaptrim {} one.nemo times=first",
                                path.string(), snapshots, path.string()));
  }
  const auto require = [&](bool is_there, const char* what) {
    if (!is_there) throw DataError(fmt::format("{}: missing field: there is no {}", path.string(), what));
  };
  require(snapshots == 1, "set SnapShot with Particles");
  if (found.particles == 0) return found;
  require(bool(found.mass), "Mass in Particles");
  require(found.phase_space || found.position, "Position or PhaseSpace in Particles");
  require(found.phase_space || found.velocity, "Velocity or PhaseSpace in Particles");
  return found;
}

constexpr std::uint8_t type_of_all = 1;

/// Reads positions and velocities of the rows from `begin` on from an array of both.
void read_phase_space(std::ifstream& file, const NumbersInFile& where, std::uint64_t begin, ParticleSet& particles) {
  constexpr std::size_t rows_per_read = 1 << 15;
  std::vector<double> both;
  for (std::size_t done = 0; done < particles.size() && file;) {
    const std::size_t now = std::min(rows_per_read, particles.size() - done);
    both.resize(6 * now);
    read_floats(file, where, 6 * (begin + done), both);
    for (std::size_t i = 0; i < now; ++i, ++done) {
      std::copy_n(&both[6 * i], 3, &particles.position[3 * done]);
      std::copy_n(&both[6 * i + 3], 3, &particles.velocity[3 * done]);
    }
  }
}

/// Reads the rows [begin, end) of the snapshot.
ParticleSet read_rows(const std::filesystem::path& path, const NemoSnapshot& snapshot, const FieldTablePtr& fields, std::uint64_t begin,
                      std::uint64_t end) {
  ParticleSet particles = make_rows(fields, begin, end, path);
  if (begin == end) return particles;
  std::ifstream file = open_binary(path);
  read_floats(file, snapshot.mass, begin, particles.mass);
  if (snapshot.phase_space) read_phase_space(file, snapshot.phase_space, begin, particles);
  if (snapshot.position) read_floats(file, snapshot.position, 3 * begin, particles.position);
  if (snapshot.velocity) read_floats(file, snapshot.velocity, 3 * begin, particles.velocity);
  if (!file) throw SystemError(fmt::format("{}: rows {} to {} cannot be read", path.string(), begin, end - 1));
  std::fill(particles.type.begin(), particles.type.end(), type_of_all);
  return particles;
}

ParticleSet read_nemo(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info) {
  NemoSnapshot snapshot;
  comm.agree([&] {
    if (!comm.is_root()) return;
    std::vector<std::string> unused;
    snapshot = read_nemo_snapshot(path, unused);
    info.count_of_type[type_of_all] = snapshot.particles;
    info.time = snapshot.time;
    if (!unused.empty()) info.notes.push_back(fmt::format("what else the particles have is not used: {}", fmt::join(unused, ", ")));
  });
  share(comm, snapshot);
  const auto read = [&](std::uint64_t begin, std::uint64_t end) { return read_rows(path, snapshot, fields, begin, end); };
  return read_own_rows(path, snapshot.particles, comm, read);
}

std::vector<FieldDescription> nemo_fields(const std::filesystem::path& path) {
  std::vector<std::string> unused;
  const NemoSnapshot snapshot = read_nemo_snapshot(path, unused);
  const std::string n = std::to_string(snapshot.particles);
  std::vector<FieldDescription> fields;
  const auto add = [&](const char* name, const NumbersInFile& numbers, const std::string& shape) {
    if (numbers) fields.push_back({name, fmt::format("f{}", numbers.element_bytes), shape});
  };
  add("Mass", snapshot.mass, n);
  add("Position", snapshot.position, n + " x 3");
  add("Velocity", snapshot.velocity, n + " x 3");
  add("PhaseSpace", snapshot.phase_space, n + " x 2 x 3");
  for (const std::string& name : unused) fields.push_back({name, "not used", ""});
  return fields;
}

}  // namespace

InputFormat nemo_format() {
  const auto info = [](const std::filesystem::path& path, ReadInfo& found) {
    std::vector<std::string> unused;
    found.time = read_nemo_snapshot(path, unused).time;
  };
  return {.name = "NEMO snapshot",
          .extensions = ".nemo .snap",
          .recognises = recognises_nemo,
          .read = read_nemo,
          .fields = nemo_fields,
          .info = info};
}

}  // namespace grove
