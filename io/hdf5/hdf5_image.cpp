// H5Fget_file_image() gives a superblock with a wrong checksum (HDF5 1.10). The bytes are right once the file is closed: they are copied
// when HDF5 frees them.
#include "io/hdf5/hdf5_image.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace grove {

struct Hdf5Image::Memory {
  std::size_t size = 0;  ///< of HDF5's block
  std::string closed;    ///< its bytes when it was freed
};

namespace {

constexpr std::size_t growth = std::size_t{1} << 16;
/// In a superblock of version 2 with addresses of 8 bytes.
constexpr std::size_t end_of_file_at = 28;

void* allocate(std::size_t size, H5FD_file_image_op_t, void* memory) {
  static_cast<Hdf5Image::Memory*>(memory)->size = size;
  return std::malloc(size);
}
void* reallocate(void* block, std::size_t size, H5FD_file_image_op_t, void* memory) {
  static_cast<Hdf5Image::Memory*>(memory)->size = size;
  return std::realloc(block, size);
}
void* copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) { return std::memcpy(to, from, size); }
herr_t release(void* block, H5FD_file_image_op_t operation, void* memory) {
  auto* const of_file = static_cast<Hdf5Image::Memory*>(memory);
  if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE) of_file->closed.assign(static_cast<const char*>(block), of_file->size);
  std::free(block);
  return 0;
}
/// All property lists share the memory of the object.
void* share(void* memory) { return memory; }
herr_t leave(void*) { return 0; }

}  // namespace

Hdf5Image::Hdf5Image(const std::string& name) : memory_(std::make_unique<Memory>()) {
  silence_hdf5();
  const Hdf5Handle access_list(check_hdf5(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"), H5Pclose);
  check_hdf5(H5Pset_fapl_core(access_list.id(), growth, false), "H5Pset_fapl_core");
  check_hdf5(H5Pset_libver_bounds(access_list.id(), H5F_LIBVER_V18, H5F_LIBVER_V18), "H5Pset_libver_bounds");
  H5FD_file_image_callbacks_t calls{allocate, copy, reallocate, release, share, leave, memory_.get()};
  check_hdf5(H5Pset_file_image_callbacks(access_list.id(), &calls), "H5Pset_file_image_callbacks");
  // No times: the same contents give the same bytes.
  const Hdf5Handle creation_list(check_hdf5(H5Pcreate(H5P_FILE_CREATE), "H5Pcreate"), H5Pclose);
  check_hdf5(H5Pset_obj_track_times(creation_list.id(), false), "H5Pset_obj_track_times");
  const hid_t id = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation_list.id(), access_list.id());
  file_ = Hdf5Handle(check_hdf5(id, name + ": cannot be created"), H5Fclose);
}

Hdf5Image::~Hdf5Image() = default;

std::string Hdf5Image::close() {
  const std::string what = hdf5_name(file_);
  file_.close(what);
  std::string bytes = std::move(memory_->closed);
  // The block is longer than the file, whose length is in its superblock.
  std::uint64_t end = 0;
  if (bytes.size() >= end_of_file_at + sizeof(end)) std::memcpy(&end, bytes.data() + end_of_file_at, sizeof(end));
  if (end == 0 || end > bytes.size()) throw std::logic_error(what + " was to be closed while objects in it are open");
  bytes.resize(end);
  return bytes;
}

}  // namespace grove
