#include "io/formats/foreign_format.hpp"

#include <string>

#include "io/hdf5/hdf5_handles.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// A format, how its files start, and how to convert them; FILE in the text stands for the file's name.
struct ForeignFormat {
  const char* what;
  std::string_view start;
  const char* advice;
};

// The lines of Python write a text table: m x y z vx vy vz.
constexpr ForeignFormat foreign_formats[] = {
    {"an archive of REBOUND", "REBOUND Binary File",
     R"py(python3 -c "import rebound; [print(p.m, *p.xyz, *p.vxyz) for p in rebound.Simulation('FILE').particles]" > particles.txt)py"},
    {"a snapshot of Starlab", "(Particle",
     R"py(python3 -c "import re; [print(*row) for row in re.findall(r'\bm *= *(.+)\s+r *= *(.+)\s+v *= *(.+)', open('FILE').read())[1:]]")py"
     R"py( > particles.txt (stars alone, without binaries))py"},
    {"compressed by gzip", "\x1f\x8b", "gunzip --keep FILE"},
    {"compressed by bzip2", "BZh", "bunzip2 --keep FILE"},
    {"compressed by xz",
     "\xfd"
     "7zXZ",
     "unxz --keep FILE"},
    {"compressed by zstd", "\x28\xb5\x2f\xfd", "unzstd FILE"},
    {"an archive of zip or NumPy", "PK\x03\x04", "unzip FILE, or for an .npz numpy.savetxt() of its columns m x y z vx vy vz"},
    {"an array of NumPy", "\x93NUMPY", R"py(python3 -c "import numpy; numpy.savetxt('particles.txt', numpy.load('FILE'))")py"},
    {"text in UTF-16", "\xff\xfe", "iconv -f UTF-16 -t UTF-8 FILE > particles.txt"},
    {"text in UTF-16", "\xfe\xff", "iconv -f UTF-16 -t UTF-8 FILE > particles.txt"},
    {"a FITS file", "SIMPLE  =",
     R"py(python3 -c "from astropy.table import Table; Table.read('FILE')['m','x','y','z','vx','vy','vz'].write('particles.csv')")py"},
};

constexpr const char* amuse_advice =
    R"py(python3 -c "import numpy; from amuse.io import read_set_from_file; from amuse.units import units, nbody_system; )py"
    R"py(p = read_set_from_file('FILE', 'amuse'); numpy.savetxt('particles.txt', numpy.column_stack([p.mass.value_in(units.MSun), )py"
    R"py(p.position.value_in(units.parsec), p.velocity.value_in(units.kms)]))" )py"
    R"py((N-body units: nbody_system.mass, .length and .speed in place of units.MSun, .parsec and .kms))py";

[[noreturn]] void refuse(const std::filesystem::path& path, const char* what, std::string advice) {
  for (std::size_t at = advice.find("FILE"); at != std::string::npos; at = advice.find("FILE", at + path.string().size()))
    advice.replace(at, 4, path.string());
  throw DataError(path.string() + ": is " + what + ", which is not read. To convert it: " + advice);
}

}  // namespace

void refuse_foreign_format(const std::filesystem::path& path, std::string_view bytes) {
  for (const ForeignFormat& format : foreign_formats) {
    if (bytes.starts_with(format.start)) refuse(path, format.what, format.advice);
  }
}

void refuse_foreign_hdf5(const std::filesystem::path& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  if (has_link(file, "AMUSE_INF") || has_link(file, "particles")) refuse(path, "a set of particles of AMUSE", amuse_advice);
}

}  // namespace grove
