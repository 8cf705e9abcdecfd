// HDF5 snapshots in GADGET's layout: by GADGET-2 to 4, SWIFT, AREPO, and Grove itself, in one file or several.
//
// The reader takes /Header, /Parameters, /Units, /Provenance and, from each /PartTypeK, K = 0 to 5, Coordinates, Velocities, Masses (or the
// header's MassTable), ParticleIDs and the fields of the table that are read when they are there, of any float and integer types. Numbers
// are taken as they are: factors of the scale factor or of the Hubble parameter in cosmological files stay in; a note says so.
#pragma once

#include "io/formats/input_format.hpp"

namespace grove {

bool recognises_gadget(const FileHead& head);
/// The root looks at the metadata of all files; then each rank reads its own rows, opening files by itself. Collective.
ParticleSet read_gadget(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info);
std::vector<FieldDescription> gadget_fields(const std::filesystem::path& path);
std::vector<FileAttribute> gadget_attributes(const std::filesystem::path& path);
void gadget_info(const std::filesystem::path& path, ReadInfo& info);

}  // namespace grove
