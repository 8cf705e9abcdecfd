// Small move-only owners of HDF5 identifiers, and the few checked calls that Grove needs. HDF5 prints nothing by itself: its
// error text becomes part of the exception. Paths inside a file are written as in HDF5: "/PartType1/Masses".
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace grove {

class Communicator;

/// Owns one HDF5 identifier and closes it on destruction. Move-only. Closing a file that was opened in parallel is collective.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  /// Takes over `id`, which must be valid; `closer` is HDF5's function for its kind, e.g. H5Gclose.
  Hdf5Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept;
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle() { reset(); }

  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

  /// Closes now and throws SystemError on failure; for files, whose last bytes are written only then.
  void close(const std::string& what);

 private:
  void reset() noexcept;

  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// HDF5's own account of the last failure of the calling thread: the innermost and the outermost message of its error stack.
std::string hdf5_error_text();

/// Throws SystemError "`what`: `HDF5's text`".
[[noreturn]] void throw_hdf5_error(const std::string& what);

/// Returns `code`, or throws SystemError naming `what` when it says failure (< 0). For all HDF5 calls.
template <class Code>
Code check_hdf5(Code code, const std::string& what) {
  if (code < 0) throw_hdf5_error(what);
  return code;
}

/// "file: object" of an open object, for messages; empty for an identifier that has no name.
std::string hdf5_name(const Hdf5Handle& object);

/// In a file written in parallel, a dataset of at least this many bytes starts on a multiple of it.
inline constexpr hsize_t dataset_alignment = hsize_t{1} << 20;

/// Turns HDF5's automatic error printing off. Idempotent; all functions that open or create a file call it.
void silence_hdf5();

/// Opens a file for reading by this process alone: no MPI-IO, no file lock, so that any number of ranks and other programs read
/// it at the same time. Throws DataError when the file is not HDF5, is truncated or cannot be opened.
Hdf5Handle open_hdf5_file(const std::filesystem::path& path);

/// Opens an existing file for writing by all ranks with MPI-IO. Large datasets that get their space in the file now start on
/// multiples of 1 MiB, the usual stripe of parallel file systems. Collective, closing included. Throws SystemError on the ranks
/// where it fails: let the ranks agree.
Hdf5Handle open_hdf5_file_parallel(const std::filesystem::path& path, const Communicator& comm);

/// Whether a path from the root of a file leads to an object of that file.
bool has_path(const Hdf5Handle& file, const std::string& path);

/// Where a soft or external link leads, in words; empty for a link to an object of the group itself, and for none.
std::string where_link_leads(const Hdf5Handle& parent, const std::string& name);

/// Whether there is a link of that name. Where it leads to is for open_group() and open_dataset() to say: they throw DataError for links
/// that lead to nothing or into another file, and SystemError for whatever else HDF5 cannot open.
bool has_link(const Hdf5Handle& parent, const std::string& name);
Hdf5Handle open_group(const Hdf5Handle& parent, const std::string& name);
Hdf5Handle create_group(const Hdf5Handle& parent, const std::string& name);
Hdf5Handle open_dataset(const Hdf5Handle& parent, const std::string& name);
/// Whether there is a dataset of that name, in this file.
bool is_dataset(const Hdf5Handle& parent, const std::string& name);

/// Pieces of so many rows each (the last one may be shorter), every one packed by itself: its bytes in the order of their weight, then
/// deflate of this level. Nothing is lost. With 0 rows, one piece that is not packed.
struct DatasetPieces {
  hsize_t rows = 0;
  unsigned deflate_level = 0;
};

/// Creates a dataset, without time stamps. One that is not packed gets its space in the file when it is written to or when it is opened
/// in parallel, without being filled; the pieces of one that is packed, when they are written.
/// @param type   HDF5 type of an element in the file
/// @param shape  [rank] number of elements per dimension
Hdf5Handle create_dataset(const Hdf5Handle& parent, const std::string& name, hid_t type, const std::vector<hsize_t>& shape,
                          const DatasetPieces& pieces = {});
/// The rows in each piece of a dataset; 1 for one that is in one piece.
hsize_t rows_in_piece(const Hdf5Handle& dataset);

/// Type and shape of a dataset.
struct DatasetInfo {
  std::vector<hsize_t> shape;
  H5T_class_t kind = H5T_NO_CLASS;  ///< H5T_FLOAT, H5T_INTEGER, ...
  bool is_signed = false;           ///< of integers
  std::string type_name;            ///< "f8", "u4", ... ; "other" for what is neither float nor integer
};
DatasetInfo describe_dataset(const Hdf5Handle& dataset);

/// A selection of `count` rows from row `first` on of a dataset, for reading or writing.
/// @return the data space in the file; `memory` becomes the matching space of a dense buffer
Hdf5Handle select_rows(const Hdf5Handle& dataset, std::uint64_t first, std::uint64_t count, Hdf5Handle& memory);

/// The names of all links directly below a group, sorted.
std::vector<std::string> link_names(const Hdf5Handle& group);

}  // namespace grove
