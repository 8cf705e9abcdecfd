// Binary snapshots and initial conditions of GADGET-1 and -2 (formats 1 and 2), of both byte orders, in one file or several.
//
// Positions, velocities, ids and masses have 4 or 8 bytes a number and are taken as they are; other blocks, such as the energies of gas,
// are not used; a note says so. Rows are numbered by type, within a type by file. The files do not name units.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/files/file_fingerprint.hpp"
#include "io/files/find_file.hpp"
#include "io/formats/gadget_binary_file.hpp"
#include "io/formats/input_format.hpp"
#include "io/formats/particle_rows.hpp"
#include "io/formats/shared.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// All files of a snapshot.
struct FileSet {
  std::vector<std::filesystem::path> paths;
  std::vector<GadgetBinaryFile> files;  ///< [paths]
  std::vector<std::string> unused;      ///< names of blocks
};

std::vector<TypeCounts> counts_of_files(const FileSet& set) {
  std::vector<TypeCounts> counts;
  for (const GadgetBinaryFile& file : set.files) counts.push_back(file.header.count);
  return counts;
}

TypeCounts count_of_type(const FileSet& set) { return sum_over_files(counts_of_files(set)); }

/// Throws unless the headers of two files can belong to one snapshot.
void require_one_snapshot(const std::string& a_name, const GadgetBinaryHeader& a, const std::string& b_name, const GadgetBinaryHeader& b) {
  const auto fail = [&](const std::string& what, const auto& of_a, const auto& of_b) {
    throw DataError(fmt::format("{}: {} is {}, but in {} it is {}: the files are not of one snapshot", b_name, what, of_b, a_name, of_a));
  };
  if (a.files != b.files) fail("the number of files", a.files, b.files);
  if (a.time != b.time) fail("the time", a.time, b.time);
  for (std::size_t k = 0; k < a.count.size(); ++k) {
    if (a.total[k] != b.total[k]) fail(fmt::format("the total number of particles of type {}", k), a.total[k], b.total[k]);
    const bool both_have = a.count[k] > 0 && b.count[k] > 0 && a.mass_of_type[k] > 0 && b.mass_of_type[k] > 0;
    if (both_have && a.mass_of_type[k] != b.mass_of_type[k])
      fail(fmt::format("MassTable's mass of type {}", k), a.mass_of_type[k], b.mass_of_type[k]);
  }
}

/// The first file with particles: all files with particles have the same blocks.
const GadgetBinaryFile& typical_file(const FileSet& set) {
  const auto found = std::find_if(set.files.begin(), set.files.end(), [](const auto& file) { return file.header.particles() > 0; });
  return found == set.files.end() ? set.files.front() : *found;
}

/// The files must add up to the announced total.
void check_total(const FileSet& set) {
  const auto found = count_of_type(set);
  const auto& announced = set.files.front().header.total;
  if (std::all_of(announced.begin(), announced.end(), [](std::uint64_t n) { return n == 0; })) return;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] != announced[k])
      throw DataError(fmt::format("{}: the {} file(s) of the snapshot hold {} particles of type {}, the header announces {}",
                                  set.paths.front().string(), set.paths.size(), found[k], k, announced[k]));
  }
}

FileSet read_file_set(const std::filesystem::path& path) {
  FileSet set;
  std::vector<std::string> ignored;
  const std::uint64_t files = read_gadget_binary_file(path, ignored).header.files;
  const std::string complaint = fmt::format("is one of {} files by its header, but its name has no number as in name.0", files);
  for (const std::filesystem::path& piece : files_of_snapshot(path, files, "", complaint)) {
    set.paths.push_back(piece);
    set.files.push_back(read_gadget_binary_file(set.paths.back(), set.unused));
    const GadgetBinaryFile &file = set.files.back(), &typical = typical_file(set);
    require_one_snapshot(set.paths.front().string(), set.files.front().header, set.paths.back().string(), file.header);
    if (file.header.particles() > 0 && bool(file.id) != bool(typical.id))
      throw DataError(
          fmt::format("{}: there is {} block of ids, unlike in the files before", set.paths.back().string(), file.id ? "a" : "no"));
  }
  std::sort(set.unused.begin(), set.unused.end());
  set.unused.erase(std::unique(set.unused.begin(), set.unused.end()), set.unused.end());
  check_total(set);
  return set;
}

/// Reads one block into the particles from index `at` on.
void read_block(std::ifstream& stream, const GadgetBinaryFile& file, const TypeBlock& block, ParticleSet& particles, std::size_t at) {
  const std::uint64_t first = file.first_of_type(block.type) + block.first;
  const std::size_t n = block.count;
  const double mass = file.header.mass_of_type[static_cast<std::size_t>(block.type)];
  read_floats(stream, file.position, 3 * first, std::span(particles.position).subspan(3 * at, 3 * n));
  read_floats(stream, file.velocity, 3 * first, std::span(particles.velocity).subspan(3 * at, 3 * n));
  if (file.id) read_integers(stream, file.id, first, std::span(particles.id).subspan(at, n));
  if (mass == 0)
    read_floats(stream, file.mass, file.first_mass_of_type(block.type) + block.first, std::span(particles.mass).subspan(at, n));
  else
    std::fill_n(&particles.mass[at], n, mass);
  std::fill_n(&particles.type[at], n, static_cast<std::uint8_t>(block.type));
}

/// This rank's rows [begin, end). Not collective.
ParticleSet read_share(const FileSet& set, const FieldTablePtr& fields, std::uint64_t begin, std::uint64_t end) {
  ParticleSet particles = make_rows(fields, begin, end, set.paths.front());
  // A file is opened once for each of the few types.
  for (const TypeBlock& block : blocks_of_rows(counts_of_files(set), begin, end)) {
    const std::string path = set.paths[block.piece].string();
    std::ifstream stream = open_binary(path);
    read_block(stream, set.files[block.piece], block, particles, block.row - begin);
    if (!stream)
      throw SystemError(
          fmt::format("{}: rows {} to {} of type {} cannot be read", path, block.first, block.first + block.count - 1, block.type));
  }
  return particles;
}

/// "file.1: position of type 1, row 17 (row 217 over all types and files)".
std::string name_row(const FileSet& set, const ParticleField& field, std::uint64_t row) {
  const TypeBlock block = blocks_of_rows(counts_of_files(set), row, row + 1).at(0);
  const std::string over_all = block.first == row ? "" : fmt::format(" (row {} over all types and files)", row);
  return fmt::format("{}: {} of type {}, row {}{}", set.paths[block.piece].string(), field.name, block.type, block.first, over_all);
}

std::string precision(const NumbersInFile& numbers) { return numbers.element_bytes == 4 ? "FP32" : "FP64"; }

HeaderFacts facts_of(const FileSet& set) {
  const GadgetBinaryHeader& header = set.files.front().header;
  HeaderFacts facts;
  facts.time = header.time;
  facts.redshift = header.redshift;
  facts.omega_matter = header.omega_matter;
  facts.omega_lambda = header.omega_lambda;
  facts.h = header.hubble;
  facts.box_size = header.box_size;
  facts.gas = count_of_type(set)[0];
  facts.particles = sum_of(count_of_type(set));
  return facts;
}

void describe(const FileSet& set, ReadInfo& info) {
  const GadgetBinaryFile& first = typical_file(set);
  info.count_of_type = count_of_type(set);
  info.time = first.header.time;
  info.universe = facts_of(set);
  info.notes.push_back(fmt::format("format {}, {}-endian, positions in {}, velocities in {}", first.format,
                                   first.swapped ? "big" : "little", precision(first.position), precision(first.velocity)));
  if (set.files.size() > 1) info.notes.push_back(fmt::format("the snapshot is split over {} files", set.files.size()));
  add_note_on_stray_file(set.paths.front(), set.files.size(), info.notes);
  if (!first.id) info.notes.push_back("there is no block of ids; particles are numbered from 0 in the order of the file");
  if (!set.unused.empty()) info.notes.push_back(fmt::format("blocks that are not used: {}", fmt::join(set.unused, ", ")));
}

/// The root looks at the headers and blocks of all files; then each rank reads its own rows. Collective.
ParticleSet read_gadget_binary(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info) {
  FileSet set;
  comm.agree([&] {
    if (!comm.is_root()) return;
    set = read_file_set(path);
    describe(set, info);
  });
  share(comm, set.paths, set.files);
  require_same_files(set.paths, comm);
  const auto read = [&](std::uint64_t begin, std::uint64_t end) { return read_share(set, fields, begin, end); };
  const auto name = [&](const ParticleField& field, std::uint64_t row) { return name_row(set, field, row); };
  return read_own_rows(path, sum_of(count_of_type(set)), comm, read, name);
}

std::vector<FieldDescription> gadget_binary_fields(const std::filesystem::path& path) {
  const FileSet set = read_file_set(path);
  const std::string n = std::to_string(sum_of(count_of_type(set)));
  std::uint64_t own_masses = 0;
  for (const GadgetBinaryFile& file : set.files) own_masses += file.header.particles_with_own_mass();
  const GadgetBinaryFile& first = typical_file(set);
  const auto type = [](const char* kind, const NumbersInFile& numbers) { return fmt::format("{}{}", kind, numbers.element_bytes); };
  std::vector<FieldDescription> fields = {{"POS", type("f", first.position), n + " x 3"}, {"VEL", type("f", first.velocity), n + " x 3"}};
  if (first.id) fields.push_back({"ID", type("u", first.id), n});
  if (own_masses > 0) fields.push_back({"MASS", type("f", first.mass), std::to_string(own_masses)});
  for (const std::string& name : set.unused) fields.push_back({name, "not used", ""});
  return fields;
}

}  // namespace

InputFormat gadget_binary_format() {
  return {.name = "GADGET binary",
          .extensions = ".gad .gadget",
          .recognises = recognises_gadget_binary,
          .read = read_gadget_binary,
          .fields = gadget_binary_fields,
          .info = [](const auto& path, auto& info) { info.time = typical_file(read_file_set(path)).header.time; }};
}

}  // namespace grove
