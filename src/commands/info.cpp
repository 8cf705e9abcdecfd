// grove info: what is in a file of particles.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "io/info.hpp"
#include "src/commands/command.hpp"

namespace grove {

CommandAction declare_info(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  app.add_option("FILE", *file, "HDF5 snapshot (GADGET, SWIFT, Grove), TIPSY file or text table")->required();
  return [file](const Communicator& comm) {
    comm.agree([&] {
      if (comm.is_root()) fmt::print("{}", describe_file(*file));
    });
    return 0;
  };
}

}  // namespace grove
