// The header of TIPSY binary files, and where the numbers of their particles are: see reader_tipsy.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "io/formats/input_format.hpp"

namespace grove::tipsy {

/// A record of a particle, by type: mass, position, velocity and further numbers. In the file, types follow each other.
struct Kind {
  const char* name;
  std::uint32_t numbers;    ///< of a record; 0: the format has no such particles
  std::uint32_t softening;  ///< index of the softening among them; 0: none
};
inline constexpr std::array<Kind, particle_type_count> kinds = {
    {{"gas", 12, 0}, {"dark", 9, 7}, {"disc", 0, 0}, {"bulge", 0, 0}, {"star", 11, 9}, {}}};
inline constexpr std::size_t gas = 0, dark = 1, disc = 2, bulge = 3, star = 4;

/// Bonsai's ids, by the version of its files.
struct IdKind {
  std::uint32_t bytes;        ///< the last ones of a record
  std::uint64_t first_bulge;  ///< stars with lower ids are the disc
  std::uint64_t end;          ///< all are lower. As potentials, those of version 1 would lie from 0 to 2^-63, those of version 2 above 0
};
inline constexpr IdKind no_ids = {0, 0, 0}, version_1 = {4, 100'000'000, 1ULL << 29},
                        version_2 = {8, 2'000'000'000'000'000'000, 1ULL << 63};

/// The bytes of the numbers in a record.
struct Precision {
  const char* name;
  std::uint32_t position_bytes, velocity_bytes, other_bytes;

  std::uint64_t record_bytes(std::size_t k) const { return 3 * position_bytes + 3 * velocity_bytes + (kinds[k].numbers - 6) * other_bytes; }
};
inline constexpr std::array<Precision, 4> precisions = {{{"all numbers in FP32", 4, 4, 4},
                                                         {"positions in FP64", 8, 4, 4},
                                                         {"positions and velocities in FP64", 8, 8, 4},
                                                         {"all numbers in FP64", 8, 8, 8}}};

inline constexpr std::size_t short_header = 28, long_header = 32;

/// What a file says before its records, and how these are read.
struct Header {
  double time = 0;
  std::array<std::uint64_t, kinds.size()> count{};
  std::uint64_t bytes = long_header;
  std::size_t precision = 0;  ///< index into precisions
  bool swapped = false;
  std::int32_t version = 0;  ///< of Bonsai's files, in the padding; anything in those of other programs
  IdKind ids = no_ids;

  std::uint64_t total() const { return count[gas] + count[dark] + count[star]; }
  std::uint64_t record_bytes(std::size_t type) const { return precisions[precision].record_bytes(type); }
  /// Where the records of a type begin.
  std::uint64_t offset(std::size_t type) const {
    std::uint64_t sum = bytes;
    for (std::size_t k = 0; k < type; ++k) sum += count[k] * record_bytes(k);
    return sum;
  }
  std::uint64_t file_bytes() const { return offset(kinds.size()); }
};

/// The header, if the first bytes are one in either byte order. Does not look at the ids.
std::optional<Header> parse_header(const FileHead& head);

/// Reads the header and what follows from the size of the file and a sample of its ids. Throws DataError.
Header read_header(const std::filesystem::path& path);

/// The id of a record of this type. `ids`: of its file.
std::uint64_t id_in(const Header& header, const IdKind& ids, const char* record, std::size_t type);

}  // namespace grove::tipsy
