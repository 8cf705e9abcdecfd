#include "io/hdf5/hdf5_elements.hpp"

#include <bit>
#include <stdexcept>

namespace grove {

static_assert(std::endian::native == std::endian::little);

hid_t hdf5_type(ElementType type) {
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

}  // namespace grove
