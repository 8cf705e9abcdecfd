#include "io/hdf5/hdf5_elements.hpp"

#include <stdexcept>

namespace grove {

namespace {

struct Hdf5Types {
  hid_t memory, file;
};

Hdf5Types types_of(ElementType type) {
  switch (type) {
    case ElementType::u1:
      return {H5T_NATIVE_UINT8, H5T_STD_U8LE};
    case ElementType::u2:
      return {H5T_NATIVE_UINT16, H5T_STD_U16LE};
    case ElementType::u4:
      return {H5T_NATIVE_UINT32, H5T_STD_U32LE};
    case ElementType::u8:
      return {H5T_NATIVE_UINT64, H5T_STD_U64LE};
    case ElementType::i4:
      return {H5T_NATIVE_INT32, H5T_STD_I32LE};
    case ElementType::i8:
      return {H5T_NATIVE_INT64, H5T_STD_I64LE};
    case ElementType::f4:
      return {H5T_NATIVE_FLOAT, H5T_IEEE_F32LE};
    case ElementType::f8:
      return {H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE};
  }
  throw std::logic_error("an element type that HDF5 does not know");
}

}  // namespace

hid_t memory_type_of(ElementType type) { return types_of(type).memory; }
hid_t file_type_of(ElementType type) { return types_of(type).file; }

}  // namespace grove
