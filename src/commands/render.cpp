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
#include "src/commands/command.hpp"
#include "src/commands/options.hpp"
#include "src/config/config_table.hpp"
#include "src/pictures/picture_files.hpp"
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

/// The names of the pictures of one file.
class PictureNames {
 public:
  PictureNames(fs::path directory, const std::string& file) : directory_(std::move(directory)), stem_(fs::path(file).stem().string()) {}
  std::string operator()(PictureQuantity quantity, char axis) const {
    return (directory_ / fmt::format("{}_{}_{}.png", stem_, name_of(quantity), axis)).string();
  }
  std::vector<std::string> all(const PicturePlan& plan) const {
    std::vector<std::string> names;
    for (const PictureQuantity quantity : plan.quantities)
      for (const char axis : plan.axes) names.push_back((*this)(quantity, axis));
    return names;
  }

 private:
  fs::path directory_;
  std::string stem_;
};

/// The settings of the user, with the units of the first file.
Config config_of(const RenderOptions& options, const Communicator& comm) {
  const RecordedPhysics physics = physics_of_file(options.files.front(), options.common, comm);
  std::vector<std::string> first{"pictures.show=density"};
  if (!options.columns.empty()) first.push_back("initial_conditions.columns=" + options.columns);
  for (const auto& [key, value] : options.settings)
    if (!value.empty()) first.push_back(fmt::format("{}.{}={}", section, key, value));
  const Config config = config_of_file(options.files.front(), physics, options.common, comm, first);
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
    for (const std::string& name : PictureNames(options.directory, file).all(plan)) {
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

void require_same_units(const UnitSystem& of_first, const ReadInfo& info, const std::string& file, const std::string& first) {
  const UnitSystem units = info.units.value_or(UnitSystem{});
  if (differ(units.length_in_cm, of_first.length_in_cm, same_when_compared) ||
      differ(units.velocity_in_cm_per_s, of_first.velocity_in_cm_per_s, same_when_compared) ||
      differ(units.mass_in_g, of_first.mass_in_g, same_when_compared))
    throw ConfigError(fmt::format("{}: has other units than {}, and all pictures have one scale: render them apart", file, first));
}

/// Draws the files with the view and the colours of the first one.
class Renderer {
 public:
  Renderer(const RenderOptions& options, const Config& config, const PicturePlan& plan, const Communicator& comm)
      : options_(options), config_(config), plan_(plan), comm_(comm), range_(plan.range()) {}

  void render(const std::string& file) {
    require_same_file(file, "SNAPSHOT", comm_);
    ReadInfo info;
    Particles<HostSpace> particles(space_);
    {
      ParticleSet set = read_particles(file, comm_, &info, standard_fields(), config_.initial_conditions.columns);
      comm_.agree([&] {
        if (file == options_.files.front())
          units_ = info.units.value_or(UnitSystem{});
        else
          require_same_units(units_, info, file, options_.files.front());
        upload(space_, std::move(set), particles);
      });
    }
    PictureSums<HostSpace> sums(space_, comm_, plan_, info.components, field_of_view_);
    PictureSums<HostSpace>::OnHost on_host(space_);
    const PictureState state = sums.collect(particles, on_host);
    field_of_view_ = sums.field_of_view();
    comm_.sum_on_root(state.sums);
    comm_.agree([&] {
      if (!comm_.is_root()) return;
      const PictureNames names(options_.directory, file);
      write_pictures({plan_, config_.units, info.time.value_or(0), info.time.has_value(), file, names}, state, range_);
      for (const std::string& name : names.all(plan_)) fmt::print("{}\n", name);
    });
  }

 private:
  const RenderOptions& options_;
  const Config& config_;
  const PicturePlan& plan_;
  const Communicator& comm_;
  HostSpace space_;
  UnitSystem units_;  ///< of the first file
  double field_of_view_ = 0;
  PictureRange range_;
};

int render(const RenderOptions& options, const Communicator& comm) {
  comm.agree([&] {
    if (options.files.empty()) throw ConfigError("render needs the name of a file, SNAPSHOT");
  });
  const Config config = config_of(options, comm);
  const PicturePlan plan(config.pictures);
  comm.agree([&] {
    if (comm.is_root()) require_free_names(options, plan);
  });
  Renderer renderer(options, config, plan, comm);
  for (const std::string& file : options.files) renderer.render(file);
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
