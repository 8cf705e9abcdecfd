#include "src/run/observers/observers.hpp"

#include <memory>
#include <utility>

#include "src/run/observers/energies.hpp"
#include "src/run/observers/pictures.hpp"
#include "src/run/observers/progress.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/observers/time_bins.hpp"
#include "src/run/observers/timings.hpp"
#include "src/run/observers/warnings.hpp"

namespace grove {

namespace {

/// Makes an observer, or null when the configuration does not want it.
template <class Space>
using MakeObserver = std::unique_ptr<Observer> (*)(const ObserverContext<Space>&);

// The table of observers, in the order in which they see each state.
template <class Space>
constexpr MakeObserver<Space> table[] = {
    make_energies<Space>, make_timings<Space>,  make_time_bins<Space>,     make_snapshots<Space>,
    make_pictures<Space>, make_warnings<Space>, make_progress_line<Space>,
};

}  // namespace

Observers observers_of(const ObserverContext<BackEnd>& context) {
  Observers observers;
  for (const MakeObserver<BackEnd> make : table<BackEnd>)
    context.comm.agree([&] {
      if (auto observer = make(context)) observers.push_back(std::move(observer));
    });
  return observers;
}

}  // namespace grove
