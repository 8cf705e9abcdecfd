// Observer: energies, momenta and centre of mass after every step, in energy.csv.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/run/files/energy_log.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/observers/log_observer.hpp"
#include "src/run/observers/observers.hpp"

namespace grove {

/// The name of the number of its rows in a saved state.
inline constexpr const char* saved_energy_rows = "energies.rows";

class EnergyObserver final : public LogObserver {
 public:
  /// The root continues the file, or creates it. `has_external`: see energy_log().
  EnergyObserver(const Communicator& comm, const std::string& path, const Rows& rows = {saved_energy_rows}, bool has_external = false)
      : LogObserver(comm, path, rows), has_external_(has_external) {
    if (!comm.is_root()) return;
    const std::vector<CsvColumn> columns = energy_log(has_external);
    if (!log_) log_.emplace(path, columns);
    require_known_columns(path, !columns_if_named(columns, log_->names()).empty());
  }

 private:
  std::vector<double> row(const RunState& state) override { return energy_row(state.energy, has_external_); }

  const bool has_external_;
};

template <class Space>
std::unique_ptr<Observer> make_energies(const ObserverContext<Space>& context) {
  const ObserverSetup& setup = context.setup;
  return std::make_unique<EnergyObserver>(context.comm, setup.directory.energy(), rows_in(setup, saved_energy_rows),
                                          !external_texts(setup.config.external_sections()).empty());
}

}  // namespace grove
