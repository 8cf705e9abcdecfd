// Move-only owners of HDF5 identifiers, and the checked calls that Grove needs. HDF5 prints nothing: its error text becomes part of the
// exception.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace grove {

class Communicator;
enum class ElementType : std::uint8_t;

/// Owns an HDF5 identifier and closes it on destruction. Closing a file that was opened in parallel is collective.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  /// Takes over a valid identifier; `closer` is HDF5's function for its kind, e.g. H5Gclose.
  Hdf5Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

  /// Closes now; throws SystemError on failure. For files, whose last bytes are written only then.
  void close(const std::string& what);

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// HDF5's last error in this thread: the innermost and the outermost message of its error stack.
std::string hdf5_error_text();

/// Throws SystemError "`what`: `HDF5's text`".
[[noreturn]] void throw_hdf5_error(const std::string& what);

/// Returns `code`, or throws SystemError naming `what` if it is < 0, HDF5's sign of failure. For all HDF5 calls.
template <class Code>
Code check_hdf5(Code code, const std::string& what) {
  if (code < 0) throw_hdf5_error(what);
  return code;
}

/// The text that one of HDF5's functions returns in two calls of `get(buffer, size)`, which returns its length, < 0 on failure.
template <class Get>
std::string hdf5_text(Get get, const std::string& what) {
  std::string text(static_cast<std::size_t>(check_hdf5(get(nullptr, 0), what)) + 1, '\0');
  check_hdf5(get(text.data(), text.size()), what);
  text.pop_back();
  return text;
}

/// The type of an element of a particle field in files and in memory: little-endian. It belongs to HDF5 and is not closed.
hid_t hdf5_type(ElementType type);

/// "file: object" of an open object, for messages; empty for an identifier that has no name.
std::string hdf5_name(const Hdf5Handle& object);

/// In a file written in parallel, a dataset of at least this many bytes starts on a multiple of it.
inline constexpr hsize_t dataset_alignment = hsize_t{1} << 20;
/// The most bytes that a dataset of `bytes` takes in such a file, including the gap before it.
constexpr std::uint64_t largest_place(std::uint64_t bytes) { return bytes + (bytes >= dataset_alignment ? dataset_alignment : 0); }
/// Room for what HDF5 adds to its metadata when the datasets get their space: a few KiB at most.
inline constexpr std::uint64_t metadata_allowance = 64 << 10;

/// Turns HDF5's automatic error printing off. All functions that open or create a file call it.
void silence_hdf5();

/// Throws std::bad_alloc if this process has too little memory to open one more file. Without it HDF5 and MPI may crash.
void require_memory_to_open();

/// Opens a file for reading by this process, without MPI-IO or a file lock, so that any number of ranks and other programs can read it at
/// the same time. Throws DataError if the file is not HDF5, is truncated or cannot be opened, and std::bad_alloc.
Hdf5Handle open_hdf5_file(const std::filesystem::path& path);

/// Opens an existing file for writing by all ranks with MPI-IO. Large datasets start on multiples of 1 MiB, the usual stripe of parallel
/// file systems. Collective, closing included. Throws SystemError on the ranks where it fails: let the ranks agree.
Hdf5Handle open_hdf5_file_parallel(const std::filesystem::path& path, const Communicator& comm);

/// Whether a path from the root of a file leads to an object of that file.
bool has_path(const Hdf5Handle& file, const std::string& path);

/// Where a soft or external link leads, as text; empty for a hard link and for none.
std::string where_link_leads(const Hdf5Handle& parent, const std::string& name);

/// Whether there is a link of this name. open_group() and open_dataset() throw DataError for links that lead to nothing or into another
/// file, and SystemError for whatever else HDF5 cannot open.
bool has_link(const Hdf5Handle& parent, const std::string& name);
Hdf5Handle open_group(const Hdf5Handle& parent, const std::string& name);
Hdf5Handle create_group(const Hdf5Handle& parent, const std::string& name);
Hdf5Handle open_dataset(const Hdf5Handle& parent, const std::string& name);
/// Whether there is a dataset of this name, in this file.
bool is_dataset(const Hdf5Handle& parent, const std::string& name);

/// HDF5's chunks: pieces of so many rows each (the last may be shorter), each compressed without loss by shuffle and deflate. 0 rows: one
/// piece that is not compressed.
struct DatasetPieces {
  hsize_t rows = 0;
  unsigned deflate_level = 0;
};

/// Creates a dataset without time stamps. It gets its space in the file, unfilled, when it is written or opened in parallel; if compressed,
/// when its pieces are written.
/// @param type   HDF5 type of an element in the file
/// @param shape  [rank] number of elements per dimension
Hdf5Handle create_dataset(const Hdf5Handle& parent, const std::string& name, hid_t type, const std::vector<hsize_t>& shape,
                          const DatasetPieces& pieces = {});
/// The rows in each piece of a dataset; 1 for one that is not in pieces.
hsize_t rows_in_piece(const Hdf5Handle& dataset);

/// Type and shape of a dataset.
struct DatasetInfo {
  std::vector<hsize_t> shape;
  H5T_class_t kind = H5T_NO_CLASS;  ///< H5T_FLOAT, H5T_INTEGER, ...
  bool is_signed = false;           ///< of integers
  std::string type_name;            ///< "f8", "u4", ...; "other" if neither float nor integer
};
DatasetInfo describe_dataset(const Hdf5Handle& dataset);

/// Selects `count` rows from row `first` on. Returns the data space in the file; `memory` becomes that of a dense buffer.
Hdf5Handle select_rows(const Hdf5Handle& dataset, std::uint64_t first, std::uint64_t count, Hdf5Handle& memory);

/// The names of all links in a group, sorted.
std::vector<std::string> link_names(const Hdf5Handle& group);

}  // namespace grove
