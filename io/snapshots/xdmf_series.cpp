#include "io/snapshots/xdmf_series.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>
#include <system_error>

#include "io/files/partial_file.hpp"
#include "io/files/printable.hpp"
#include "io/formats/gadget_info.hpp"
#include "io/hdf5/hdf5_apart.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Grove recognises its own file by this.
constexpr const char* head =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!-- Written by Grove: the snapshots of a run";
constexpr const char* begin =
    ", for ParaView and VisIt. Grove replaces this file. -->\n"
    "<Xdmf Version=\"2.0\">\n<Domain>\n<Grid Name=\"snapshots\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
constexpr const char* end = "</Grid>\n</Domain>\n</Xdmf>\n";

/// A text as the value of an XML attribute.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : printable_line(text, text.size() + 1))
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

/// Where the numbers of a dataset are. Integers are declared signed: the older of the two readers would truncate unsigned ones to 32 bits.
std::string data_item(const std::string& place, const DatasetInfo& info) {
  const char* const type = info.kind == H5T_FLOAT ? "Float" : "Int";
  return fmt::format("<DataItem Format=\"HDF\" NumberType=\"{}\" Precision=\"{}\" Dimensions=\"{}\">{}</DataItem>", type,
                     info.type_name.substr(1), fmt::join(info.shape, " "), place);
}

std::string attribute_type(const DatasetInfo& info) {
  const hsize_t components = info.shape.size() == 1 ? 1 : info.shape.at(1);
  return components == 1 ? "Scalar" : components == 3 ? "Vector" : "Matrix";
}

bool is_one_row_each(const DatasetInfo& info, hsize_t count) {
  return info.type_name != "other" && !info.shape.empty() && info.shape.size() <= 2 && info.shape[0] == count;
}

/// The positions of the particles of one type. Throws DataError unless they are three numbers each.
DatasetInfo describe_positions(const Hdf5Handle& group) {
  const Hdf5Handle dataset = open_dataset(group, "Coordinates");
  DatasetInfo info = describe_dataset(dataset);
  if (info.type_name == "other" || info.shape.size() != 2 || info.shape[1] != 3)
    throw DataError(hdf5_name(dataset) + ": are no positions: three numbers are needed for each particle");
  return info;
}

/// The grid of the particles of one type.
std::string grid_of_type(const Hdf5Handle& file, const std::string& file_name, int type) {
  const std::string group_name = gadget_group(type);
  const Hdf5Handle group = open_group(file, group_name);
  const auto place = [&](const std::string& dataset) { return fmt::format("{}:/{}/{}", quoted(file_name), group_name, dataset); };
  const DatasetInfo positions = describe_positions(group);
  const std::string name = read_component_name(group).value_or(group_name);
  std::string text = fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\">\n", quoted(name));
  text += fmt::format("<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\" NodesPerElement=\"1\"/>\n", positions.shape[0]);
  text += fmt::format("<Geometry GeometryType=\"XYZ\">{}</Geometry>\n", data_item(place("Coordinates"), positions));
  for (const std::string& dataset : link_names(group)) {
    if (dataset == "Coordinates" || !is_dataset(group, dataset)) continue;
    const DatasetInfo info = describe_dataset(open_dataset(group, dataset));
    if (is_one_row_each(info, positions.shape[0]))
      text += fmt::format("<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Node\">{}</Attribute>\n", quoted(dataset),
                          attribute_type(info), data_item(place(dataset), info));
  }
  return text + "</Grid>\n";
}

}  // namespace

bool XdmfSeries::is_one(const std::filesystem::path& path) {
  std::error_code unknown;
  // Opening a pipe would wait for its writer.
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  const std::string wanted = head;
  std::ifstream file(path, std::ios::binary);
  std::string found(wanted.size(), '\0');
  file.read(found.data(), static_cast<std::streamsize>(found.size()));
  return file && found == wanted;
}

void XdmfSeries::require_no_other(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, unknown)) && !is_one(path))
    throw SystemError(path.string() + ": cannot be created: there is a file of this name that Grove has not written; move it away");
}

void XdmfSeries::add(const std::filesystem::path& snapshot, const Hdf5Turn&) {
  require_harmless(snapshot);
  const Hdf5Handle file = open_hdf5_file(snapshot);
  const auto time = read_number(open_group(file, "Header"), "Time");
  if (!time || !std::isfinite(*time)) throw DataError(snapshot.string() + ": does not say its time");
  const std::string name = snapshot.filename().string();
  std::string text =
      fmt::format("<Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Spatial\">\n", quoted(snapshot.stem().string()));
  text += fmt::format("<Time Value=\"{}\"/>\n", *time);
  for (int type = 0; type < particle_type_count; ++type)
    if (has_link(file, gadget_group(type))) text += grid_of_type(file, name, type);
  entries_.emplace(*time, text + "</Grid>\n");
}

void XdmfSeries::write() {
  require_no_other(path_);
  std::string text = std::string(head) + begin;
  for (const auto& [time, entry] : entries_) text += entry;
  text += end;
  write_whole_file(path_, text);
}

}  // namespace grove
