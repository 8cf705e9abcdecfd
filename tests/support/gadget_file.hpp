// Small GADGET-like HDF5 files, right and wrong, for the tests of the reader.
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "io/formats/gadget_info.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/hdf5/hdf5_image.hpp"

namespace grove {

/// One particle type of a file: `count` particles whose numbers follow from `first`, the row of the first over the snapshot:
/// particle i has position (first + i) + 0.25, velocity the negative of it, mass first + i + 1, id 100 + first + i.
struct GadgetType {
  int type = 1;
  std::uint64_t count = 0;
  double first = 0;
  bool masses = true, ids = true, velocities = true;
  hid_t real = H5T_IEEE_F64LE, integer = H5T_STD_U64LE;
  std::uint64_t coordinate_columns = 3;
  std::uint64_t missing_rows = 0;  ///< by so many rows the datasets are shorter than announced
  std::uint64_t bad_row = ~0ull;   ///< of the component x of field `bad_field`
  std::string bad_field{};
  double bad_value = 0;
};

struct GadgetFile {
  std::vector<GadgetType> types;
  std::array<double, 6> mass_table{};
  std::array<std::uint64_t, 6> total{};  ///< all zero: as many as in this file
  std::int32_t files = 1;
  bool swift = false;  ///< header values in arrays of length 1, seven types, SWIFT's names of units
  bool header = true;
};

inline void write_numbers(const Hdf5Handle& group, const std::string& name, hid_t type, const std::vector<hsize_t>& shape,
                          const std::vector<double>& numbers) {
  const Hdf5Handle dataset = create_dataset(group, name, type, shape);
  check_hdf5(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), name);
}

inline void write_type(const Hdf5Handle& file, const GadgetType& t) {
  const Hdf5Handle group = create_group(file, gadget_group(t.type));
  const std::uint64_t rows = t.count - t.missing_rows;
  const auto field = [&](const std::string& name, hid_t type, std::uint64_t columns, double factor, double offset) {
    std::vector<double> numbers;
    for (std::uint64_t i = 0; i < rows; ++i) numbers.insert(numbers.end(), columns, factor * (t.first + static_cast<double>(i) + offset));
    if (name == t.bad_field) numbers[t.bad_row * columns] = t.bad_value;
    const std::vector<hsize_t> shape = columns == 1 ? std::vector<hsize_t>{rows} : std::vector<hsize_t>{rows, columns};
    write_numbers(group, name, type, shape, numbers);
  };
  field("Coordinates", t.real, t.coordinate_columns, 1, 0.25);
  if (t.velocities) field("Velocities", t.real, 3, -1, 0.25);
  if (t.masses) field("Masses", t.real, 1, 1, 1);
  if (t.ids) field("ParticleIDs", t.integer, 1, 1, 100);
}

inline void write_gadget_header(const Hdf5Handle& file, const GadgetFile& content) {
  const Hdf5Handle header = create_group(file, "Header");
  std::vector<std::uint64_t> count(content.swift ? 7 : 6, 0);
  for (const GadgetType& type : content.types) count[static_cast<std::size_t>(type.type)] = type.count;
  std::vector<std::uint64_t> total(content.total.begin(), content.total.end());
  if (content.total == std::array<std::uint64_t, 6>{}) total = count;
  write_attribute(header, "NumPart_ThisFile", std::span<const std::uint64_t>(count));
  write_attribute(header, "NumPart_Total", std::span<const std::uint64_t>(total));
  write_attribute(header, "MassTable", std::span<const double>(content.mass_table));
  const auto number = [&](const std::string& name, double value) {
    const std::vector<double> array(name == "BoxSize" ? 3 : 1, value);
    content.swift ? write_attribute(header, name, std::span<const double>(array)) : write_attribute(header, name, value);
  };
  number("Time", 0.75);
  number("BoxSize", 64);
  number("NumFilesPerSnapshot", content.files);
  const Hdf5Handle units = create_group(file, content.swift ? "Units" : "Parameters");
  const std::vector<std::pair<std::string, double>> gadget{{"UnitLength_in_cm", 3}, {"UnitMass_in_g", 5}, {"UnitVelocity_in_cm_per_s", 7}};
  const std::vector<std::pair<std::string, double>> swift{
      {"Unit length in cgs (U_L)", 3}, {"Unit mass in cgs (U_M)", 5}, {"Unit time in cgs (U_t)", 0.5}};
  for (const auto& [name, value] : content.swift ? swift : gadget) write_attribute(units, name, std::span<const double>(&value, 1));
}

/// Not collective.
inline void write_gadget_file(const std::string& path, const GadgetFile& content) {
  Hdf5Image image(path);
  const Hdf5Handle& file = image.file();
  if (content.header) write_gadget_header(file, content);
  for (const GadgetType& type : content.types) write_type(file, type);
  std::ofstream(path, std::ios::binary) << image.close();
}

}  // namespace grove
