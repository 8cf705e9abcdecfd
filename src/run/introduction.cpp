#include "src/run/introduction.hpp"

#include <fmt/format.h>

#include "src/config/gravity_report.hpp"
#include "src/run/beside_the_steps.hpp"
#include "src/run/snapshot_writer.hpp"
#include "src/text/text_parts.hpp"
#include "src/text/text_table.hpp"
#include "src/version.hpp"

namespace grove {

namespace {

std::string notes(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += as_note(line);
  return text;
}

}  // namespace

std::string introduction(const Config& config, const InitialState& state, const StepSchedule& schedule, std::uint64_t first_step,
                         const std::string& machine, const std::vector<std::string>& advice) {
  std::string text = fmt::format("{}\n{}\n", version_line(), state.description) + notes(notes_on_file(config, state));
  text += as_note(why_not_beside(config, thread_level_of_mpi()));
  text += gravity_text(config.gravity) + "\n";
  for (const std::string& line : external_texts(config.external_sections())) text += line + "\n";
  text += machine + "\n" + notes(advice);
  if (is_physical(config.units))
    text += fmt::format("{}, time in units of {}; G = {:.6g}\n", in_words(config.units), format_time(1, config.units), config.gravity.G);
  text += fmt::format("{} steps of {:.6g} from t = {} to {}; ", format_count(schedule.steps() - first_step), schedule.dt(),
                      format_time(schedule.time(first_step), config.units), format_time(config.time.end, config.units));
  return text + fmt::format("results go to {}\n", config.output.directory);
}

}  // namespace grove
