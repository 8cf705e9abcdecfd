// Names of GADGET's HDF5 layout that readers and the writer of snapshots share.
#pragma once

#include <string>

namespace grove {

/// 1 in /Units of a file in N-body units, whose other attributes are a scale for other programs.
inline constexpr const char* n_body_units_attribute = "NBodyUnits";

/// The group of the particles of a type: "PartTypeK".
inline std::string gadget_group(int type) { return "PartType" + std::to_string(type); }

}  // namespace grove
