// Observer: energies, momenta and centre of mass after every step, in energy.csv.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "src/config/config.hpp"
#include "src/run/observers/energy_log.hpp"
#include "src/run/observers/log_rows.hpp"
#include "src/run/observers/observers.hpp"
#include "src/run/output_directory.hpp"

namespace grove {

/// The name of the number of its rows in a saved state.
inline constexpr const char* saved_energy_rows = "energies.rows";

class EnergyObserver final : public Observer {
 public:
  /// The root writes the file, or goes on after its first `rows` rows. `goes_on`: see LogRows. `has_external`: see EnergyLog.
  EnergyObserver(const Communicator& comm, const std::string& path, std::uint64_t rows = 0, bool goes_on = false, bool has_external = false)
      : path_(path), rows_(comm, rows, goes_on) {
    if (comm.is_root()) log_.emplace(path, rows, has_external);
  }
  bool due(const RunState&) const override { return true; }
  bool looks_at_particles() const override { return false; }
  bool is_output() const override { return false; }
  void observe(const RunState& state) override {
    rows_.add(state.step, [&] {
      if (log_) log_->add(state.energy);
    });
  }
  void save(SavedState& state) override {
    finish();
    rows_.save(state, saved_energy_rows);
  }
  void finish() override {
    rows_.flush([&] {
      if (log_) log_->flush();
    });
  }
  std::string written() const override { return path_ + rows_.lost(); }

 private:
  std::string path_;
  LogRows rows_;
  std::optional<EnergyLog> log_;
};

template <class Space>
std::unique_ptr<Observer> make_energies(const ObserverContext<Space>& context) {
  return std::make_unique<EnergyObserver>(context.comm, context.setup.directory.energy(), rows_before(context.setup, saved_energy_rows),
                                          context.setup.config.output.on_error == "continue",
                                          !external_texts(context.setup.config.external_sections()).empty());
}

}  // namespace grove
