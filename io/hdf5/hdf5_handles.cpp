#include "io/hdf5/hdf5_handles.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

#include "decomposition/ranks/communicator.hpp"
#include "io/files/printable.hpp"
#include "io/hdf5/hdf5_crash.hpp"
#include "kernels/base/error.hpp"
#include "kernels/particles/fields.hpp"

namespace grove {

namespace {

herr_t close_read_file(hid_t file) {
  const herr_t closed = H5Fclose(file);
  end_reading_hdf5();
  return closed;
}

herr_t collect_message(unsigned, const H5E_error2_t* error, void* messages) {
  if (error->desc != nullptr) static_cast<std::vector<std::string>*>(messages)->emplace_back(error->desc);
  return 0;
}

herr_t collect_link(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

Hdf5Handle property_list(hid_t kind) { return {check_hdf5(H5Pcreate(kind), "an HDF5 property list"), H5Pclose}; }

/// Called before a link into another file is followed. Never wanted: the other file may be a pipe, on which HDF5 would wait for ever.
herr_t refuse_other_file(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

/// An access list, of a group or a dataset, by which links into other files are not followed.
Hdf5Handle within_the_file(hid_t kind = H5P_LINK_ACCESS) {
  Hdf5Handle list = property_list(kind);
  check_hdf5(H5Pset_elink_cb(list.id(), refuse_other_file, nullptr), "H5Pset_elink_cb");
  return list;
}

/// Why a link cannot be followed; empty: the link is not the reason.
std::string complaint_on_link(const Hdf5Handle& parent, const std::string& name) {
  H5L_info_t link;
  if (H5Lget_info(parent.id(), name.c_str(), &link, H5P_DEFAULT) < 0 || link.type == H5L_TYPE_HARD) return "";
  if (link.type == H5L_TYPE_EXTERNAL)
    return "is a link into another file, which is not followed; 'h5copy -f ext' copies what is there into this one";
  if (link.type != H5L_TYPE_SOFT) return "is a link of a kind that is not known";
  return "is a link to something that is not there, or in another file";
}

std::string object_path(const Hdf5Handle& parent, const std::string& name) {
  const std::string above = hdf5_name(parent);
  return above.ends_with('/') ? above + name : above + '/' + name;
}

/// The kind of an object of this file; H5I_BADID: there is none of this name.
H5I_type_t kind_of(const Hdf5Handle& parent, const std::string& name) {
  const hid_t id = H5Oopen(parent.id(), name.c_str(), within_the_file().id());
  if (id < 0) return H5I_BADID;
  const Hdf5Handle object(id, H5Oclose);
  return H5Iget_type(id);
}

[[noreturn]] void fail_to_open(const Hdf5Handle& parent, const std::string& name, H5I_type_t wanted) {
  const std::string reason = hdf5_error_text();
  if (const H5I_type_t kind = kind_of(parent, name); kind != H5I_BADID && kind != wanted)
    throw DataError(object_path(parent, name) + (wanted == H5I_GROUP ? ": is no group, as it must be" : ": is no dataset, as it must be"));
  if (const std::string complaint = complaint_on_link(parent, name); !complaint.empty())
    throw DataError(object_path(parent, name) + ": " + complaint);
  throw SystemError(object_path(parent, name) + ": " + reason);
}

/// HDF5 and MPI need less for an open file. Where they do not get it, they may crash.
constexpr std::size_t needed_to_open = std::size_t{32} << 20;

}  // namespace

void Hdf5Handle::close(const std::string& what) {
  if (id_ >= 0) check_hdf5(close_(std::exchange(id_, -1)), what);
}

std::string hdf5_error_text() {
  std::vector<std::string> messages;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect_message, &messages);
  if (messages.empty()) return "HDF5 gives no reason";
  if (messages.size() == 1) return messages.front();
  return messages.back() + " (" + messages.front() + ')';
}

void throw_hdf5_error(const std::string& what) { throw SystemError(what + ": " + hdf5_error_text()); }

hid_t hdf5_type(ElementType type) {
  static_assert(std::endian::native == std::endian::little);
  switch (type) {
    case ElementType::u1:
      return H5T_STD_U8LE;
    case ElementType::u2:
      return H5T_STD_U16LE;
    case ElementType::u4:
      return H5T_STD_U32LE;
    case ElementType::u8:
      return H5T_STD_U64LE;
    case ElementType::i4:
      return H5T_STD_I32LE;
    case ElementType::i8:
      return H5T_STD_I64LE;
    case ElementType::f4:
      return H5T_IEEE_F32LE;
    case ElementType::f8:
      return H5T_IEEE_F64LE;
  }
  throw std::logic_error("an element type that HDF5 does not know");
}

std::string hdf5_name(const Hdf5Handle& object) {
  const auto text_of = [&](auto get) {
    const auto get_or_nothing = [&](char* text, std::size_t size) { return std::max<ssize_t>(get(object.id(), text, size), 0); };
    return hdf5_text(get_or_nothing, "");
  };
  const std::string file = text_of(H5Fget_name), path = text_of(H5Iget_name);
  return file.empty() ? path : file + ": " + path;
}

void silence_hdf5() {
  // A failure of this is harmless.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void require_memory_to_open() { ::operator delete(::operator new(needed_to_open)); }

Hdf5Handle open_hdf5_file(const std::filesystem::path& path) {
  silence_hdf5();
  if (access(path.c_str(), R_OK) != 0) {
    throw DataError(fmt::format("{}: cannot be opened for reading: {}", path.string(), std::strerror(errno)));
  }
  // On a pipe, HDF5 would wait for ever.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) throw DataError(path.string() + ": is not a regular file");
  require_memory_to_open();
  const Hdf5Handle access_list = property_list(H5P_FILE_ACCESS);
  // Parallel file systems are often mounted without locks, and HDF5 refuses to open a file that it cannot lock.
  check_hdf5(H5Pset_file_locking(access_list.id(), false, true), "H5Pset_file_locking");
  begin_reading_hdf5(path);
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access_list.id());
  if (id < 0) {
    end_reading_hdf5();
    throw DataError(fmt::format("{}: is no HDF5 file, or truncated or damaged: {}", path.string(), hdf5_error_text()));
  }
  return {id, close_read_file};
}

Hdf5Handle open_hdf5_file_parallel(const std::filesystem::path& path, [[maybe_unused]] const Communicator& comm) {
  silence_hdf5();
  const Hdf5Handle access_list = property_list(H5P_FILE_ACCESS);
#ifdef H5_HAVE_PARALLEL
  check_hdf5(H5Pset_fapl_mpio(access_list.id(), comm.raw(), MPI_INFO_NULL), "H5Pset_fapl_mpio");
#else
  // MPI-IO locks no file.
  check_hdf5(H5Pset_file_locking(access_list.id(), false, true), "H5Pset_file_locking");
#endif
  check_hdf5(H5Pset_alignment(access_list.id(), dataset_alignment, dataset_alignment), "H5Pset_alignment");
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDWR, access_list.id());
  return {check_hdf5(id, path.string() + ": cannot be opened for writing by all ranks"), H5Fclose};
}

bool has_path(const Hdf5Handle& file, const std::string& path) {
  const Hdf5Handle list = within_the_file();
  for (std::size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    const std::string part = path.substr(0, at);
    if (part.empty() || part == "/") continue;
    if (H5Lexists(file.id(), part.c_str(), list.id()) <= 0 || H5Oexists_by_name(file.id(), part.c_str(), list.id()) <= 0) return false;
  }
  return true;
}

bool is_dataset(const Hdf5Handle& parent, const std::string& name) {
  return has_link(parent, name) && kind_of(parent, name) == H5I_DATASET;
}

std::string where_link_leads(const Hdf5Handle& parent, const std::string& name) {
  H5L_info_t link;
  if (H5Lget_info(parent.id(), name.c_str(), &link, H5P_DEFAULT) < 0 || link.type == H5L_TYPE_HARD) return "";
  if (link.type != H5L_TYPE_SOFT && link.type != H5L_TYPE_EXTERNAL) return "of an unknown kind";
  std::string value(link.u.val_size + 1, '\0');
  check_hdf5(H5Lget_val(parent.id(), name.c_str(), value.data(), value.size(), H5P_DEFAULT), object_path(parent, name));
  if (link.type == H5L_TYPE_SOFT) return "to " + printable_line(value.c_str());
  const char *file = nullptr, *path = nullptr;
  check_hdf5(H5Lunpack_elink_val(value.data(), link.u.val_size, nullptr, &file, &path), object_path(parent, name));
  return fmt::format("to {} of the file {}, which is not followed", printable_line(path), printable_line(file));
}

bool has_link(const Hdf5Handle& parent, const std::string& name) {
  return check_hdf5(H5Lexists(parent.id(), name.c_str(), H5P_DEFAULT), object_path(parent, name)) > 0;
}

Hdf5Handle open_group(const Hdf5Handle& parent, const std::string& name) {
  const hid_t id = H5Gopen2(parent.id(), name.c_str(), within_the_file().id());
  if (id < 0) fail_to_open(parent, name, H5I_GROUP);
  return {id, H5Gclose};
}

Hdf5Handle create_group(const Hdf5Handle& parent, const std::string& name) {
  const Hdf5Handle creation = property_list(H5P_GROUP_CREATE);
  check_hdf5(H5Pset_obj_track_times(creation.id(), false), "H5Pset_obj_track_times");
  const hid_t id = H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT);
  return {check_hdf5(id, object_path(parent, name) + ": cannot be created"), H5Gclose};
}

Hdf5Handle open_dataset(const Hdf5Handle& parent, const std::string& name) {
  const hid_t id = H5Dopen2(parent.id(), name.c_str(), within_the_file(H5P_DATASET_ACCESS).id());
  if (id < 0) fail_to_open(parent, name, H5I_DATASET);
  return {id, H5Dclose};
}

Hdf5Handle create_dataset(const Hdf5Handle& parent, const std::string& name, hid_t type, const std::vector<hsize_t>& shape,
                          const DatasetPieces& pieces) {
  const std::string what = object_path(parent, name) + ": cannot be created";
  const Hdf5Handle space(check_hdf5(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), what), H5Sclose);
  const Hdf5Handle creation = property_list(H5P_DATASET_CREATE);
  check_hdf5(H5Pset_obj_track_times(creation.id(), false), what);
  if (pieces.rows > 0) {
    std::vector<hsize_t> piece = shape;
    piece.at(0) = pieces.rows;
    check_hdf5(H5Pset_chunk(creation.id(), static_cast<int>(piece.size()), piece.data()), what);
    check_hdf5(H5Pset_shuffle(creation.id()), what);
    check_hdf5(H5Pset_deflate(creation.id(), pieces.deflate_level), what);
    // The last chunk ends with rows that do not exist: fill them alike in every file.
    check_hdf5(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_ALLOC), what);
  } else {
    check_hdf5(H5Pset_layout(creation.id(), H5D_CONTIGUOUS), what);
    check_hdf5(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_LATE), what);
    check_hdf5(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), what);
  }
  const hid_t id = H5Dcreate2(parent.id(), name.c_str(), type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT);
  return {check_hdf5(id, what), H5Dclose};
}

hsize_t rows_in_piece(const Hdf5Handle& dataset) {
  const std::string what = hdf5_name(dataset);
  const Hdf5Handle creation(check_hdf5(H5Dget_create_plist(dataset.id()), what), H5Pclose);
  if (H5Pget_layout(creation.id()) != H5D_CHUNKED) return 1;
  std::vector<hsize_t> piece(static_cast<std::size_t>(check_hdf5(H5Pget_chunk(creation.id(), 0, nullptr), what)));
  check_hdf5(H5Pget_chunk(creation.id(), static_cast<int>(piece.size()), piece.data()), what);
  return piece.at(0);
}

DatasetInfo describe_dataset(const Hdf5Handle& dataset) {
  const std::string what = hdf5_name(dataset);
  const Hdf5Handle space(check_hdf5(H5Dget_space(dataset.id()), what), H5Sclose);
  const Hdf5Handle type(check_hdf5(H5Dget_type(dataset.id()), what), H5Tclose);
  DatasetInfo info;
  info.shape.resize(static_cast<std::size_t>(check_hdf5(H5Sget_simple_extent_ndims(space.id()), what)));
  check_hdf5(H5Sget_simple_extent_dims(space.id(), info.shape.data(), nullptr), what);
  info.kind = H5Tget_class(type.id());
  info.is_signed = info.kind == H5T_INTEGER && H5Tget_sign(type.id()) == H5T_SGN_2;
  const char letter = info.kind == H5T_FLOAT ? 'f' : info.is_signed ? 'i' : 'u';
  const bool known = info.kind == H5T_FLOAT || info.kind == H5T_INTEGER;
  info.type_name = known ? fmt::format("{}{}", letter, H5Tget_size(type.id())) : "other";
  return info;
}

Hdf5Handle select_rows(const Hdf5Handle& dataset, std::uint64_t first, std::uint64_t count, Hdf5Handle& memory) {
  const std::string what = hdf5_name(dataset);
  Hdf5Handle space(check_hdf5(H5Dget_space(dataset.id()), what), H5Sclose);
  std::vector<hsize_t> size(static_cast<std::size_t>(check_hdf5(H5Sget_simple_extent_ndims(space.id()), what)));
  check_hdf5(H5Sget_simple_extent_dims(space.id(), size.data(), nullptr), what);
  std::vector<hsize_t> start(size.size(), 0);
  start.at(0) = first;
  size.at(0) = count;
  memory = Hdf5Handle(check_hdf5(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), what), H5Sclose);
  if (count == 0) {
    check_hdf5(H5Sselect_none(space.id()), what);
    check_hdf5(H5Sselect_none(memory.id()), what);
  } else {
    check_hdf5(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr), what);
  }
  return space;
}

std::vector<std::string> link_names(const Hdf5Handle& group) {
  std::vector<std::string> names;
  check_hdf5(H5Literate(group.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_link, &names), hdf5_name(group));
  return names;
}

}  // namespace grove
