// grove render: pictures of the particles in files, all ranks together.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "io/formats/reader.hpp"
#include "kernels/base/error.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "src/analysis/named_units.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/config/config_table.hpp"
#include "src/pictures/picture.hpp"
#include "src/pictures/picture_sums.hpp"
#include "src/pictures/png_file.hpp"
#include "src/run/files/same_on_all_ranks.hpp"

namespace grove {

namespace {

namespace fs = std::filesystem;

const std::string section = "pictures", key_of_runs = "every";

struct RenderOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string directory = ".", columns;
  bool overwrite = false;
  std::vector<std::pair<std::string, std::string>> settings;  ///< key of [pictures] and value, empty: not given
};

/// The name of a picture of `file`.
std::string picture_of(const RenderOptions& options, const std::string& file, PictureQuantity quantity, char axis) {
  return (fs::path(options.directory) / fmt::format("{}_{}_{}.png", fs::path(file).stem().string(), name_of(quantity), axis)).string();
}

std::vector<std::string> pictures_of(const RenderOptions& options, const std::string& file, const PicturePlan& plan) {
  std::vector<std::string> names;
  for (const PictureQuantity quantity : plan.quantities)
    for (const char axis : plan.axes) names.push_back(picture_of(options, file, quantity, axis));
  return names;
}

/// The settings of the user, with the units of the first file.
Config config_of(const RenderOptions& options, const Communicator& comm) {
  const RecordedPhysics physics = physics_of_file(options.files.front(), options.common, comm);
  std::vector<std::string> first{"pictures.show=density"};
  if (!options.columns.empty()) first.push_back("initial_conditions.columns=" + options.columns);
  for (const auto& [key, value] : options.settings)
    if (!value.empty()) first.push_back(fmt::format("{}.{}={}", section, key, value));
  Config config = config_of_file(options.files.front(), physics, options.common, comm, first);
  comm.agree([&] {
    if (!config.pictures.are_wanted()) throw ConfigError("pictures.show = \"none\": there would be no picture");
    if (config.pictures.every > 0) throw ConfigError("pictures.every: is for runs; here each file is one time");
  });
  return config;
}

/// Before anything is read: no file has the name of a picture, and no two pictures have the same name.
void require_free_names(const RenderOptions& options, const PicturePlan& plan) {
  std::set<std::string> names;
  for (const std::string& file : options.files)
    for (const std::string& name : pictures_of(options, file, plan)) {
      if (!names.insert(name).second)
        throw ConfigError(fmt::format("two files would have the picture {}: render them apart, with another --out", name));
      if (!fs::exists(fs::symlink_status(name))) continue;
      if (!may_become_picture(name))
        throw ConfigError(fmt::format("{}: there is a file of this name that is no picture of Grove; move it away", name));
      if (!options.overwrite) throw ConfigError(fmt::format("{}: is there already; --overwrite replaces it", name));
    }
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error || !fs::is_directory(options.directory))
    throw ConfigError(fmt::format("--out {}: is no directory, and cannot be made: {}", options.directory,
                                  error ? error.message() : "there is a file of this name"));
}

/// Draws the files with the view and the colours of the first one. Collective; throws AgreedError.
void draw_files(const RenderOptions& options, const Config& config, const PicturePlan& plan, const Communicator& comm) {
  HostSpace space;
  const std::string& first = options.files.front();
  UnitSystem units_of_first;
  double field_of_view = 0;
  PictureRange range = plan.range();
  for (const std::string& file : options.files) {
    require_same_file(file, "SNAPSHOT", comm);
    ReadInfo info;
    Particles<HostSpace> particles(space);
    {
      ParticleSet set = read_particles(file, comm, &info, standard_fields(), config.initial_conditions.columns);
      comm.agree([&] {
        const UnitSystem units = info.units.value_or(UnitSystem{});
        if (file == first) units_of_first = units;
        if (differ(units, units_of_first, same_when_compared))
          throw ConfigError(fmt::format("{}: has other units than {}, and all pictures have one scale: render them apart", file, first));
        upload(space, std::move(set), particles);
      });
    }
    PictureSums<HostSpace> sums(space, comm, plan, info.components, field_of_view);
    PictureSums<HostSpace>::OnHost on_host(space);
    const PictureState state = sums.collect(particles, on_host);
    field_of_view = sums.field_of_view();
    comm.sum_on_root(state.sums);
    comm.agree([&] {
      if (!comm.is_root()) return;
      const auto path = [&](PictureQuantity quantity, char axis) { return picture_of(options, file, quantity, axis); };
      write_pictures({plan, config.units, info.time, file, path}, state, range);
      for (const std::string& name : pictures_of(options, file, plan)) write_text("-", name + "\n");
    });
  }
}

int render(const RenderOptions& options, const Communicator& comm) {
  comm.agree([&] {
    if (options.files.empty()) throw ConfigError("render needs the name of a file, SNAPSHOT");
  });
  const Config config = config_of(options, comm);
  comm.agree([&] {
    if (!config.initial_conditions.units.empty() || config.initial_conditions.renumber)
      throw ConfigError("initial_conditions.units and initial_conditions.renumber have no effect on pictures of files, and must go");
  });
  const PicturePlan plan(config.pictures);
  comm.agree([&] {
    if (comm.is_root()) require_free_names(options, plan);
  });
  draw_files(options, config, plan, comm);
  return 0;
}

/// A key of [pictures] as an option: field_of_view is --field-of-view.
std::string option_of_picture(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

}  // namespace

CommandAction declare_render(CLI::App& app) {
  auto options = std::make_shared<RenderOptions>();
  app.add_option("SNAPSHOT", options->files, "files of particles, of any format that a run can start from; all are seen with one view");
  app.add_option("--out", options->directory, "directory for the pictures: NAME_density_z.png of NAME.hdf5 [.]")->type_name("DIR");
  app.add_option("--columns", options->columns, "what the columns of a text table are, as initial_conditions.columns of a run")
      ->type_name("LIST");
  app.add_flag("--overwrite", options->overwrite, "replace pictures that Grove has made");
  for (const ConfigSetting& row : config_table().settings)
    if (row.section == section && row.setting.name != key_of_runs) options->settings.emplace_back(row.setting.name, "");
  for (auto& [key, value] : options->settings)
    app.add_option(option_of_picture(key), value, config_table().find(section, key)->setting.meaning)->type_name("VALUE");
  options->common.declare_settings(app);
  app.footer(
      "Options are the keys of [pictures] of a run (docs/pictures.md). A movie of the pictures of a run's snapshots:\n"
      "ffmpeg -framerate 24 -i snapshot_%04d_density_z.png -pix_fmt yuv420p movie.mp4");
  return [options](const Communicator& comm) { return render(*options, comm); };
}

}  // namespace grove
