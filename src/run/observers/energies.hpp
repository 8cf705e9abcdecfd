// Observer: energies, momenta and centre of mass after every step, in energy.csv.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "src/run/observers/energy_log.hpp"
#include "src/run/observers/observers.hpp"
#include "src/run/output_directory.hpp"

namespace grove {

class EnergyObserver final : public Observer {
 public:
  /// The root writes the file, or goes on after its first `rows` rows.
  EnergyObserver(const Communicator& comm, const std::string& path, const std::string& time_unit, std::uint64_t rows = 0)
      : comm_(comm), path_(path) {
    if (comm.is_root()) log_.emplace(path, time_unit, rows);
  }
  bool due(const RunState&) const override { return true; }
  void observe(const RunState& state) override {
    comm_.agree([&] {
      if (log_) log_->add(state.energy);
    });
  }
  void save(SavedState&) override { finish(); }
  void finish() override {
    comm_.agree([&] {
      if (log_) log_->flush();
    });
  }
  std::string written() const override { return path_; }

 private:
  const Communicator& comm_;
  std::string path_;
  std::optional<EnergyLog> log_;
};

template <class Space>
std::unique_ptr<Observer> make_energies(const ObserverContext<Space>& context) {
  return std::make_unique<EnergyObserver>(context.comm, context.setup.directory.energy(), time_unit_text(context.setup.config),
                                          context.setup.states_seen);
}

}  // namespace grove
