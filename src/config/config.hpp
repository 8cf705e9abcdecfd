// The configuration of a run: what a TOML file and `--set` say, checked, with defaults filled in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/quantity.hpp"
#include "kernels/base/units.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "src/external/external_info.hpp"
#include "src/generators/generator.hpp"
#include "src/integrators/step_parameters.hpp"
#include "src/pictures/picture_parameters.hpp"

namespace grove {

struct FieldChoice;
struct ReadInfo;

/// Times in code units.
struct TimeParameters : StepParameters {
  double begin = 0.0;                   ///< time of the initial conditions
  double end = 1.0;                     ///< >= begin; equal: forces and one snapshot, no step
  double dt = 0.01;                     ///< the base step, > 0
  bool dt_is_auto = false;              ///< the run sets dt, by the forces when it begins
  ShownUnit unit_of_dt = {};            ///< in which the user gave dt, and is told of steps
  std::string integrator = "leapfrog";  ///< name in integrator_infos()
  SettingValues parameters;             ///< those of the integrator; what is missing has its default

  /// A number or text among the parameters or, if missing there, its default. Throws std::logic_error for a name or type the
  /// integrator does not have.
  double number(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  /// Whether the run chooses the length of its steps: by time.steps or time.error.
  bool chooses_steps() const;
  /// Force evaluations in a step, where that is one number; else 0.
  std::uint64_t forces_a_step() const;
  /// Whether the run counts the forces of its steps, in time_bins.csv: those of divided steps, and those that are not one number.
  bool counts_forces() const;
};

struct OutputParameters {
  std::string directory = "output";    ///< relative to the current directory
  std::string snapshots = "all";       ///< all: as snapshot_every says | none: no state is kept, to measure speed
  double snapshot_every = 0.0;         ///< in time, code units; 0: the first and the last state only
  std::string in_background = "yes";   ///< write snapshots in the background: yes | no
  std::string order = "id";            ///< of the particles in a snapshot: id | morton
  std::string fields;                  ///< further particle fields to write, separated by commas
  std::string leave_out;               ///< those that are not written, although they usually are, separated by commas
  std::string single_precision;        ///< those that are written in 32 bits, separated by commas
  std::uint64_t compression = 0;       ///< level of deflate (gzip) of snapshots, 1 to 9; 0: none
  std::string checkpoints = "yes";     ///< keep checkpoints, from which a run can continue: yes | no
  double checkpoint_minutes = 30.0;    ///< wall time between checkpoints; 0: not by time
  std::uint64_t checkpoint_steps = 0;  ///< steps between checkpoints; 0: not by steps
  std::string on_error = "stop";       ///< where a snapshot, checkpoint or row of a log cannot be written: stop | continue

  /// Whether the run keeps checkpoints.
  bool keeps_checkpoints() const { return checkpoints == "yes" && snapshots != "none"; }

  /// The fields of a snapshot: those of the three keys.
  FieldChoice field_choice() const;
};

struct RunParameters {
  std::string device = "auto";     ///< auto | gpu | cpu
  std::string transport = "auto";  ///< auto | direct | shared | mpi | staged
  double max_wall_time = 0.0;      ///< minutes, after which the run stops; 0: no limit
};

/// A complete and consistent configuration. The default is a small Plummer sphere in N-body units.
struct Config {
  InitialConditions initial_conditions;
  GravityParameters gravity{.all_pairs_up_to = 16384};
  ExternalParameters external, external_2, external_3;
  TimeParameters time;
  OutputParameters output;
  PictureParameters pictures;
  UnitSystem units;
  RunParameters run;

  std::vector<ExternalParameters> external_sections() const { return {external, external_2, external_3}; }
};

/// Makes a Config from a TOML `text`, called `name` in messages, and `overrides` ("section.key=value"), which win over it. Exactly one of
/// initial_conditions.file and .generator must be given, everything else has a default; paths are relative to the current directory. `grove
/// ic` and `grove bench` give their options as overrides of an empty text. `in_file` is what the input file says of itself, needed only
/// where given_input() says so. Not collective. Throws ConfigError that names file, line, key, value and what is allowed.
Config parse_config(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                    const ReadInfo* in_file = nullptr);

/// The Config that Grove recorded as `text` in the file `name`. Keys may have the names of earlier versions, which win over
/// today's. Throws ConfigError as parse_config(): where the text has what this version does not know.
Config parse_recorded_config(const std::string& text, const std::string& name);

/// The text of the file at `path`. Throws ConfigError where it cannot be read.
std::string read_config_text(const std::string& path);

/// What a configuration says of its input file.
struct GivenInput {
  GivenSetting file;      ///< initial_conditions.file as it was given; without a text where it was not
  bool is_asked = false;  ///< the configuration takes its units or its time: units.system or time.begin = "file"
};
/// Does not check values. Throws ConfigError for invalid TOML and invalid overrides.
GivenInput given_input(const std::string& text, const std::string& name, const std::vector<std::string>& overrides);

}  // namespace grove
