#include "io/snapshots/particle_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <string>

#include "io/formats/gadget_info.hpp"
#include "io/formats/gadget_layout.hpp"
#include "io/hdf5/hdf5_checksum.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/hdf5/hdf5_turn.hpp"
#include "kernels/base/error.hpp"
#include "kernels/particles/mixed_id.hpp"

namespace grove {

namespace {

/// 10 MiB of ids, positions and masses.
constexpr std::uint64_t rows_at_a_time = std::uint64_t{1} << 18;

/// The highest mixed id in the sample.
std::uint64_t highest_in_sample(std::uint64_t particles, std::uint64_t most) {
  constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  return particles <= most ? all : all / particles * most;
}

/// A dataset that is read from its first row to its last.
class WholeDataset {
 public:
  WholeDataset(const Hdf5Handle& group, const std::string& name, hid_t type)
      : dataset_(open_dataset(group, name)), type_(type), recorded_(recorded_checksum(dataset_)) {}

  void read(const TypeBlock& block, void* values) {
    Hdf5Handle memory;
    const Hdf5Handle space = select_rows(dataset_, block.first, block.count, memory);
    if (H5Dread(dataset_.id(), type_, memory.id(), space.id(), H5P_DEFAULT, values) < 0)
      throw DataError(fmt::format("{} cannot be read: {}", hdf5_name(dataset_), hdf5_error_text()));
    if (recorded_) sum_.append(checksum_of_rows(dataset_, block.first, block.count, type_, values));
  }
  /// Throws DataError if the numbers are not those that were written.
  void finish() const {
    if (recorded_) require_checksum(sum_, *recorded_, hdf5_name(dataset_));
  }

 private:
  Hdf5Handle dataset_;
  hid_t type_;
  std::optional<std::uint32_t> recorded_;
  Checksum sum_;
};

/// Collects the particles of a sample, with positions in the frame of the file.
class Collector {
 public:
  Collector(const GadgetLayout& layout, std::uint64_t most, const std::stop_token& stop)
      : layout_(layout), stop_(stop), highest_(highest_in_sample(layout.total(), most)), room_(2 * most + 1000) {}

  /// Adds those of a block of one file.
  void add(const Hdf5Handle& file, TypeBlock block) {
    const Hdf5Handle group = open_group(file, gadget_group(block.type));
    std::optional<WholeDataset> ids;
    if (layout_.has_ids) ids.emplace(group, "ParticleIDs", H5T_NATIVE_UINT64);
    WholeDataset row_positions(group, "Coordinates", H5T_NATIVE_DOUBLE);
    std::optional<WholeDataset> row_masses;
    if (const std::string name = gadget_mass_field(group); !name.empty()) row_masses.emplace(group, name, H5T_NATIVE_DOUBLE);
    const double mass_of_all = layout_.mass_of_type[block.piece][static_cast<std::size_t>(block.type)];
    const std::uint64_t end = block.first + block.count;
    for (; block.first < end; block.first += block.count, block.row += block.count) {
      if (stop_.stop_requested()) throw SystemError("the reading of a snapshot was given up");
      block.count = std::min(rows_at_a_time, end - block.first);
      ids_.resize(block.count);
      row_positions_.resize(3 * block.count);
      std::iota(ids_.begin(), ids_.end(), block.row);
      if (ids) ids->read(block, ids_.data());
      row_positions.read(block, row_positions_.data());
      row_masses_.assign(block.count, mass_of_all);
      if (row_masses) row_masses->read(block, row_masses_.data());
      for (std::uint64_t i = 0; i < block.count; ++i)
        if (mixed_id(ids_[i]) <= highest_) keep(&row_positions_[3 * i], row_masses_[i], block.type);
    }
    if (ids) ids->finish();
    row_positions.finish();
    if (row_masses) row_masses->finish();
  }

  std::vector<std::array<double, 3>> positions;
  ParticleSample sample;

 private:
  void keep(const double* x, double mass, int type) {
    if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2]) || !std::isfinite(mass)) {
      ++sample.not_finite;
      return;
    }
    if (positions.size() >= room_)
      throw DataError(fmt::format("{}: no sample can be taken: many particles have the same id", layout_.pieces.front().string()));
    positions.push_back({x[0], x[1], x[2]});
    sample.types.push_back(static_cast<std::uint8_t>(type));
    sample.masses.push_back(mass);
  }

  const GadgetLayout& layout_;
  const std::stop_token& stop_;
  std::uint64_t highest_;
  std::size_t room_;
  std::vector<std::uint64_t> ids_;                  // of the rows that are read at a time
  std::vector<double> row_positions_, row_masses_;  // of these
};

/// The mean of the middle eight tenths: insensitive to far particles, and continuous when two galaxies meet.
double middle_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto left_out = static_cast<std::ptrdiff_t>(values.size() / 10);
  const double sum = std::accumulate(values.begin() + left_out, values.end() - left_out, 0.0);
  return sum / static_cast<double>(values.size() - 2 * static_cast<std::size_t>(left_out));
}

/// Sets centre, radius and positions from the centre.
void take_from_centre(const std::vector<std::array<double, 3>>& positions, ParticleSample& sample) {
  if (positions.empty()) return;
  std::vector<double> values(positions.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::transform(positions.begin(), positions.end(), values.begin(), [&](const auto& x) { return x[axis]; });
    sample.centre[axis] = middle_mean(values);
  }
  sample.positions.reserve(3 * positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::array<double, 3> d{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      d[axis] = positions[i][axis] - sample.centre[axis];
      sample.positions.push_back(static_cast<float>(d[axis]));
    }
    values[i] = std::hypot(d[0], d[1], d[2]);
  }
  const auto ninth = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * 9 / 10);
  std::nth_element(values.begin(), ninth, values.end());
  sample.radius = *ninth;
}

/// Whether an error of HDF5 is one of memory or of the system, not of the file. Only its text tells.
bool is_of_the_machine(const std::filesystem::path& path, const std::exception& error) {
  std::string words = error.what();
  for (std::size_t at = 0; (at = words.find(path.string(), at)) != std::string::npos;) words.erase(at, path.string().size());
  return words.find("allocat") != std::string::npos || words.find("errno = ") != std::string::npos;
}

ParticleSample sample_of(const std::filesystem::path& path, std::uint64_t most, const std::stop_token& stop) {
  ReadInfo info;
  const GadgetLayout layout = read_gadget_layout(path, *standard_fields(), info);
  if (!layout.other_files.empty())
    throw DataError(path.string() + ": has its numbers in other files, such as " + layout.other_files.front().string());
  Collector collector(layout, most, stop);
  for (const TypeBlock& block : blocks_of_rows(layout.count, 0, layout.total()))
    collector.add(open_hdf5_file(layout.pieces[block.piece]), block);
  ParticleSample sample = std::move(collector.sample);
  sample.time = info.time;
  sample.count_of_type = layout.count_of_type();
  sample.components = info.components;
  take_from_centre(collector.positions, sample);
  return sample;
}

}  // namespace

bool is_in_sample(std::uint64_t id, std::uint64_t particles, std::uint64_t most) {
  return mixed_id(id) <= highest_in_sample(particles, most);
}

ParticleSample read_particle_sample(const std::filesystem::path& path, std::uint64_t most, const std::stop_token& stop) {
  const Hdf5Turn turn;
  try {
    return sample_of(path, most, stop);
  } catch (const SystemError& error) {
    if (stop.stop_requested() || is_of_the_machine(path, error)) throw;
    // HDF5's error for a file that makes no sense to it.
    throw DataError(fmt::format("{}: is damaged: {}", path.string(), error.what()));
  } catch (const DataError& error) {
    if (is_of_the_machine(path, error)) throw SystemError(error.what());
    throw;
  } catch (const std::bad_alloc&) {
    throw SystemError(path.string() + ": there is too little memory to read its particles");
  }
}

}  // namespace grove
