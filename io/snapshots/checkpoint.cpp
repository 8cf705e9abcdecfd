#include "io/snapshots/checkpoint.hpp"

#include <string>
#include <vector>

#include "io/files/checksum.hpp"
#include "io/files/partial_file.hpp"
#include "io/files/sealed_file.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_collective.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/hdf5/hdf5_image.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// The most that a rank passes to one call; MPI's counts are ints.
constexpr std::size_t transfer_bytes = std::size_t{256} << 20;

/// The dataset /Checksums, as the ranks write it.
const ParticleField checksum_rows{.name = "Checksums", .type = ElementType::u4};

using Fields = std::vector<const ParticleField*>;

Fields fields_of(const ParticleColumns& local) {
  Fields fields;
  for (const ParticleField& field : local.table()->rows())
    if (field.restart) fields.push_back(&field);
  return fields;
}

void number_checksum(const Hdf5Handle& dataset, std::size_t row) {
  write_attribute(dataset, "Checksum_row", static_cast<std::int32_t>(row));
}

/// Writes a value of the state into the image of the file; returns its checksum.
template <class T>
std::uint32_t write_value(const Hdf5Handle& group, const std::string& name, const T& values, std::size_t row) {
  const ElementType type = std::is_same_v<T, SavedState::Numbers>  ? ElementType::f8
                           : std::is_same_v<T, SavedState::Counts> ? ElementType::u8
                                                                   : ElementType::u1;
  const Hdf5Handle dataset = create_dataset(group, name, hdf5_type(type), {values.size()});
  number_checksum(dataset, row);
  if (!values.empty())
    check_hdf5(H5Dwrite(dataset.id(), hdf5_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), hdf5_name(dataset));
  return Checksum(std::as_bytes(std::span(values.data(), values.size()))).value();
}

/// The bytes of the file before particles and checksums have space in it. Sets the checksums of the state, which follow those of the
/// fields.
std::string make_image(const std::string& name, const Fields& fields, std::uint64_t count, const SavedState& state,
                       std::vector<std::uint32_t>& checksums) {
  Hdf5Image image(name);
  {
    const Hdf5Handle& file = image.file();
    write_attribute(file, "Checkpoint_version", checkpoint_version);
    const Hdf5Handle particles = create_group(file, "Particles"), values = create_group(file, "State");
    for (std::size_t f = 0; f < fields.size(); ++f)
      number_checksum(create_dataset(particles, fields[f]->name, hdf5_type(fields[f]->type), {count, fields[f]->components}), f);
    checksums.resize(fields.size());
    for (const auto& entry : state.values()) {
      const auto write = [&](const auto& value) { return write_value(values, entry.first, value, checksums.size()); };
      checksums.push_back(std::visit(write, entry.second));
    }
    create_dataset(file, checksum_rows.name, hdf5_type(checksum_rows.type), {checksums.size()});
  }
  return image.close();
}

std::uint64_t largest_size(std::uint64_t image_bytes, const Fields& fields, std::uint64_t count, std::size_t checksums) {
  std::uint64_t bytes = image_bytes + metadata_allowance + checksums * sizeof(std::uint32_t);
  for (const ParticleField* field : fields) bytes += largest_place(count * field->row_bytes());
  return bytes;
}

/// Writes the fields and, last, all checksums. Collective.
void write_datasets(const std::filesystem::path& path, ParticleColumns& local, const Fields& fields, std::uint64_t first,
                    std::vector<std::uint32_t> checksums, const Communicator& comm) {
  CollectiveFile file(path, transfer_bytes, comm);
  {
    // A dataset gets its space in the file when it is opened: open all first.
    std::vector<Hdf5Handle> datasets;
    for (const ParticleField* field : fields)
      comm.agree([&] { datasets.push_back(open_dataset(open_group(file.handle(), "Particles"), field->name)); });
    Hdf5Handle sums;
    comm.agree([&] { sums = open_dataset(file.handle(), checksum_rows.name); });
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const std::span<const std::byte> values = local.values(*fields[f]);
      checksums[f] = Checksum(values).over_ranks(comm).value();
      file.write_rows(datasets[f], *fields[f], first, values);
    }
    file.write_rows(sums, checksum_rows, 0, comm.is_root() ? std::as_bytes(std::span(checksums)) : std::span<const std::byte>());
  }
  file.close();
}

}  // namespace

void write_checkpoint(const std::filesystem::path& final_name, ParticleColumns& local, const SavedState& state, const Communicator& comm,
                      const Hdf5Turn& turn) {
  const Fields fields = fields_of(local);
  const std::uint64_t count = local.size(), first = comm.prefix_sum(count), all = comm.sum(count);
  SavedState complete = state;
  complete.put(particles_of_ranks, comm.all_gather(count));
  std::uint64_t metadata_bytes = 0;
  std::vector<std::uint32_t> checksums(fields.size() + complete.values().size());
  write_together(final_name, comm, [&](const std::filesystem::path& partial) {
    // One rank writes all metadata and reserves the space before all ranks write together: see CollectiveFile.
    comm.agree([&] {
      for (const ParticleField* field : fields)
        if (count > 0 && !local.knows(*field)) throw Error("a checkpoint of particles without the field " + field->name);
      if (!comm.is_root()) return;
      const std::string image = make_image(partial.string(), fields, all, complete, checksums);
      metadata_bytes = image.size();
      create_with_room(partial, image, largest_size(image.size(), fields, all, checksums.size()));
    });
    write_datasets(partial, local, fields, first, checksums, comm);
    comm.agree([&] {
      if (!comm.is_root()) return;
      seal(partial, metadata_bytes);
      flush_to_disk(partial);
    });
    // Read back from the disk, not from memory.
    if (comm.local_rank() == 0) forget_cached(partial);
    verify_checkpoint(partial, first, count, *local.table(), comm, turn);
  });
}

}  // namespace grove
