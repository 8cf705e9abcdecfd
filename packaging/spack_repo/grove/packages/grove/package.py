"""Grove for Spack: compiles the clone of the repository in which this recipe lies."""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Grove(CMakePackage, CudaPackage):
    """Gravitational N-body simulations on GPUs and CPUs: a tree-code with a fast multipole method, and its Python package."""

    git = Path(__file__).resolve().parents[5].as_uri()

    version("main", branch="main")

    resource(
        name="dejavu",
        url="https://github.com/dejavu-fonts/dejavu-fonts/releases/download/version_2_37/dejavu-fonts-ttf-2.37.tar.bz2",
        sha256="fa9ca4d13871dd122f61258a80d01751d603b4d3ee14095d65453b4e846e17d7",
        placement="dejavu",
    )

    variant("mpi", default=True, description="Many ranks, with a parallel HDF5")
    variant("python", default=True, description="import grove")

    depends_on("cxx", type="build")
    depends_on("c", type="build")  # CMake looks for HDF5 with it
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5+mpi", when="+mpi")
    depends_on("hdf5~mpi", when="~mpi")
    depends_on("cuda@12:", when="+cuda")
    depends_on("zlib-api")
    depends_on("libpng")
    depends_on("freetype")
    depends_on("fmt")
    depends_on("tomlplusplus@3:", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("cpp-httplib", type="build")
    depends_on("boost", type="build")  # headers of Boost.Math alone
    depends_on("random123", type="build")
    depends_on("python@3.9:", type="run", when="+python")
    depends_on("py-numpy", type="run", when="+python")
    depends_on("py-h5py", type="run", when="+python")

    conflicts("%gcc@:10", msg="Grove needs C++20")

    def cmake_args(self):
        args = [
            self.define("GROVE_TESTS", False),
            self.define_from_variant("GROVE_MPI", "mpi"),
            self.define_from_variant("GROVE_CUDA", "cuda"),
            self.define("HDF5_ROOT", self.spec["hdf5"].prefix),
            self.define("GROVE_FONT", join_path(self.stage.source_path, "dejavu", "ttf", "DejaVuSans.ttf")),
        ]
        architectures = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ("none",)
        if architectures[0] != "none":
            args.append(self.define("GROVE_CUDA_ARCHITECTURES", architectures))
        return args

    def setup_run_environment(self, env):
        env.set("GROVE_ROOT", self.prefix.share.grove)
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", self.prefix.share.grove.python)
