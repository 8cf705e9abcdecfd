// Observer: energies, momenta and centre of mass after every step, in energy.csv.
#pragma once

#include <memory>
#include <optional>

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
  /// The root writes the file, or continues it. `has_external`: see EnergyLog.
  EnergyObserver(const Communicator& comm, const std::string& path, const Rows& rows = {saved_energy_rows}, bool has_external = false)
      : LogObserver(comm, path, rows) {
    if (comm.is_root()) log_.emplace(path, rows.before, has_external);
  }

 private:
  void write(const RunState& state) override {
    if (log_) log_->add(state.energy);
  }
  void flush() override {
    if (log_) log_->flush();
  }

  std::optional<EnergyLog> log_;  ///< of the root
};

template <class Space>
std::unique_ptr<Observer> make_energies(const ObserverContext<Space>& context) {
  const ObserverSetup& setup = context.setup;
  return std::make_unique<EnergyObserver>(context.comm, setup.directory.energy(), rows_in(setup, saved_energy_rows),
                                          !external_texts(setup.config.external_sections()).empty());
}

}  // namespace grove
