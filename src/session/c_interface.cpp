#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/base/error.hpp"
#include "src/integrators/step_parameters.hpp"
#include "src/process/mpi_start.hpp"
#include "src/run/files/version.hpp"
#include "src/session/c_arrays.hpp"
#include "src/session/grove.h"
#include "src/session/session.hpp"
#include "src/simulation/simulation_cuda.hpp"

/// What a handle stands for.
struct grove_session {
  grove_session(const std::string& toml, MPI_Comm comm) : session(toml, comm) {}

  grove::Session session;
  int gpu = -1;  ///< that it uses; -1: none
  std::string notes;
  bool is_stepping = false;
  bool asks_field = false;      ///< the function of grove_set_external() is at work
  std::recursive_mutex in_use;  ///< by one thread, whose callback may use it, too
};

namespace {

using namespace grove;

static_assert(GROVE_DEFECT == exit_code::defect && GROVE_SETTING == exit_code::setting && GROVE_DATA == exit_code::data &&
              GROVE_SYSTEM == exit_code::system);

thread_local std::string last_error;

template <class Work>
int guarded(const Work& work) noexcept {
  try {
    last_error.clear();
    work();
    return GROVE_OK;
  } catch (const AgreedError& error) {
    last_error = error.what();
    return error.exit_code();
  } catch (const std::exception& error) {
    last_error = sentence_of(error);
    return exit_code_of(error);
  } catch (...) {
    last_error = "an exception of another kind";
    return GROVE_DEFECT;
  }
}

/// Locks the session for this thread. Throws ConfigError.
std::unique_lock<std::recursive_mutex> use(grove_session* session) {
  if (!session) throw ConfigError("the session is NULL");
  std::unique_lock lock(session->in_use, std::try_to_lock);
  if (!lock) throw ConfigError("the session is in use by another thread");
  if (session->asks_field) throw ConfigError("an external field cannot use the session that asks for it");
  return lock;
}

void require_no_step(const grove_session& session, const char* what) {
  if (session.is_stepping) throw ConfigError(fmt::format("a callback cannot {} its session: it is stepping", what));
}

/// As long as it lives, the session is stepping.
class StepsOf {
 public:
  explicit StepsOf(grove_session& session) : session_(session) { session_.is_stepping = true; }
  ~StepsOf() { session_.is_stepping = false; }
  StepsOf(const StepsOf&) = delete;
  StepsOf& operator=(const StepsOf&) = delete;

 private:
  grove_session& session_;
};

/// As long as it lives, this thread uses that GPU; afterwards its former one again.
class UseGpu {
 public:
  /// -1: nothing changes.
  explicit UseGpu(int number) : former_(number < 0 ? -1 : current_gpu()) { use_gpu(number); }
  ~UseGpu() { use_gpu(former_); }
  UseGpu(const UseGpu&) = delete;
  UseGpu& operator=(const UseGpu&) = delete;

 private:
  const int former_;
};

/// A C function whose result is that of `work(session)`.
template <class Work>
int with_session(grove_session* handle, const Work& work, bool takes_back = false) noexcept {
  return guarded([&] {
    const auto lock = use(handle);
    const UseGpu gpu(handle->gpu);
    if (handle->session.is_lent() && !takes_back) throw ConfigError("the particles are lent: the session waits until they are taken back");
    work(handle->session);
  });
}

void require_mpi() {
  int is_there = 0, is_over = 0;
  MPI_Initialized(&is_there);
  MPI_Finalized(&is_over);
  if (is_over) throw SystemError("MPI is finalised already");
  if (is_there) return;
  start_mpi(MpiUser::library);
  std::atexit([] {
    int is_finalised = 0;
    MPI_Finalized(&is_finalised);
    if (!is_finalised) MPI_Finalize();
  });
}

/// The caller's particles. New ids begin at `first_id`. Collective.
ParticleSet particles_of(const grove_particles* given, std::uint64_t first_id, const Communicator& comm) {
  ParticleSet particles;
  comm.agree([&] {
    if (!given) throw ConfigError("the particles are NULL");
    const std::size_t n = given->count;
    read("position", given->position, n, 3, particles.position);
    read("mass", given->mass, n, 1, particles.mass);
    if (given->velocity.data)
      read("velocity", given->velocity, n, 3, particles.velocity);
    else
      particles.velocity.assign(3 * n, 0);
    if (given->id.data)
      read("id", given->id, n, 1, particles.id);
    else
      particles.id.resize(n);
    if (given->type.data)
      read("type", given->type, n, 1, particles.type);
    else
      particles.type.assign(n, 1);
  });
  const std::size_t n = particles.size();
  const std::uint64_t some = n > 0 ? 1 : 0, named = n > 0 && given->id.data ? 1 : 0;
  comm.agree([&, all = comm.sum(some), with_ids = comm.sum(named)] {
    if (with_ids != 0 && with_ids != all) throw ConfigError("id: given on some ranks, and not on others");
  });
  if (const std::uint64_t begin = first_id + comm.prefix_sum(n); named == 0) std::iota(particles.id.begin(), particles.id.end(), begin);
  return particles;
}

/// The field time_step.
std::vector<double> steps_of(const ParticleSet& particles) {
  const ParticleField* const field = particles.fields->find(time_step_field);
  if (!field) throw ConfigError("time_step: output.fields does not name it, or no particle has a step of its own");
  const std::span<const std::byte> bytes = particles.bytes(*field);
  if (bytes.empty() && particles.size() > 0) throw ConfigError("time_step: no step has been taken with these particles");
  std::vector<double> steps(bytes.size() / sizeof(double));
  std::memcpy(steps.data(), bytes.data(), bytes.size());
  return steps;
}

std::uint64_t next_id(Session& session) {
  if (session.count() == 0) return 0;
  std::uint64_t highest = 0;
  for (const std::uint64_t id : session.particles().id) highest = std::max(highest, id);
  return session.comm().max(highest) + 1;
}

/// Calls work(field, components) for the field of that name, one to get where the particles are const, else one to set. Throws ConfigError.
template <class Set, class Work>
void with_field(const char* name, Set& particles, const Work& work) {
  constexpr bool gets = std::is_const_v<Set>;
  const std::string wanted = name ? name : "";
  if (wanted == "position") return work(particles.position, 3);
  if (wanted == "velocity") return work(particles.velocity, 3);
  if (wanted == "mass") return work(particles.mass, 1);
  if (wanted == "type") return work(particles.type, 1);
  if constexpr (gets) {
    if (wanted == "id") return work(particles.id, 1);
    if (wanted == "acceleration") return work(particles.acceleration, 3);
    if (wanted == "potential") return work(particles.potential, 1);
    if (wanted == time_step_field) return work(steps_of(particles), 1);
  }
  throw ConfigError(
      fmt::format("there is no field \"{}\" to {}: {}", wanted, gets ? "get" : "set",
                  gets ? "position, velocity, mass, id, type, acceleration, potential, time_step" : "position, velocity, mass, type"));
}

}  // namespace

const char* grove_version(void) {
  static const std::string version = version_line();
  return version.c_str();
}

const char* grove_last_error(void) { return last_error.c_str(); }

int grove_create(const char* toml, const void* comm, grove_session** session) {
  return guarded([&] {
    if (!session) throw ConfigError("there is no place for the session");
    *session = nullptr;
    require_mpi();
    const int callers_gpu = current_gpu();
    auto made = std::make_unique<grove_session>(toml ? toml : "", comm ? *static_cast<const MPI_Comm*>(comm) : MPI_COMM_WORLD);
    if (made->session.is_on_gpu()) made->gpu = current_gpu();
    use_gpu(made->gpu < 0 ? -1 : callers_gpu);
    *session = made.release();
  });
}

const void* grove_comm_self(void) {
  static const MPI_Comm self = MPI_COMM_SELF;
  return &self;
}

int grove_destroy(grove_session* session) {
  return guarded([&] {
    if (!session) return;
    use(session).unlock();
    require_no_step(*session, "destroy");
    const UseGpu gpu(session->gpu);
    delete session;
  });
}

int grove_load(grove_session* session) {
  return with_session(session, [&](Session& s) {
    require_no_step(*session, "load particles into");
    s.load();
  });
}

int grove_get_components(grove_session* session, const char* names[6]) {
  return with_session(session, [&](Session& s) {
    for (std::size_t type = 0; type < s.components().size(); ++type) names[type] = s.components()[type].c_str();
  });
}

int grove_set_components(grove_session* session, const char* const names[6]) {
  return with_session(session, [&](Session& s) {
    ComponentNames wanted = usual_component_names();
    for (std::size_t type = 0; type < wanted.size(); ++type)
      if (names[type] && *names[type]) wanted[type] = names[type];
    s.set_components(wanted);
  });
}

int grove_get_softening(grove_session* session, double lengths[6]) {
  return with_session(session, [&](Session& s) {
    const auto of_type = s.softening();
    std::copy(of_type.begin(), of_type.end(), lengths);
  });
}

int grove_set_particles(grove_session* session, const grove_particles* particles) {
  return with_session(session, [&](Session& s) { s.set_particles(particles_of(particles, 0, s.comm())); });
}

int grove_add_particles(grove_session* session, const grove_particles* particles) {
  return with_session(session, [&](Session& s) {
    const std::uint64_t first = next_id(s);
    s.add(particles_of(particles, first, s.comm()));
  });
}

int grove_remove_particles(grove_session* session, size_t count, const uint64_t* ids) {
  return with_session(session, [&](Session& s) {
    s.comm().agree([&] {
      if (count > 0 && !ids) throw ConfigError("there are no ids");
    });
    s.remove({ids, ids + count});
  });
}

int grove_count(grove_session* session, uint64_t* all, size_t* share) {
  return with_session(session, [&](Session& s) {
    if (all) *all = s.count();
    if (share) *share = s.particles().size();
  });
}

int grove_time(grove_session* session, double* time) {
  return with_session(session, [&](Session& s) {
    if (!time) throw ConfigError("there is no place for the time");
    *time = s.time();
  });
}

int grove_get_units(grove_session* session, grove_units* units) {
  return with_session(session, [&](Session& s) {
    if (!units) throw ConfigError("there is no place for the units");
    const UnitSystem& own = s.config().units;
    *units = {own.length_in_cm, own.mass_in_g, own.velocity_in_cm_per_s, s.config().gravity.G};
  });
}

int grove_notes(grove_session* session, const char** notes) {
  return with_session(session, [&](Session& s) {
    if (!notes) throw ConfigError("there is no place for the notes");
    session->notes = fmt::format("{}", fmt::join(s.notes(), "\n"));
    *notes = session->notes.c_str();
  });
}

int grove_get(grove_session* session, const char* field, grove_array to) {
  return with_session(session, [&](Session& s) {
    const std::string name = field ? field : "";
    const bool is_of_force = name == "acceleration" || name == "potential";
    const ParticleSet& particles = is_of_force ? s.particles_with_forces() : s.particles();
    s.comm().agree(
        [&] { with_field(field, particles, [&](const auto& values, std::size_t components) { write(field, values, components, to); }); });
  });
}

int grove_set(grove_session* session, const char* field, grove_array from) {
  return with_session(session, [&](Session& s) {
    s.change([&](ParticleSet& particles) {
      const std::size_t n = particles.size();
      with_field(field, particles, [&](auto& values, std::size_t components) { read(field, from, n, components, values); });
    });
  });
}

int grove_lend(grove_session* session, grove_local_arrays* arrays) {
  return with_session(session, [&](Session& s) {
    if (!arrays) throw ConfigError("there is no place for the arrays");
    const ParticleMemory found = s.lend();
    const int on_gpu = s.is_on_gpu() ? 1 + session->gpu : 0;
    const auto numbers = [&](const double* data, std::ptrdiff_t in_a_row) {
      return grove_array{const_cast<double*>(data), GROVE_F64, in_a_row * static_cast<std::ptrdiff_t>(sizeof(double)), sizeof(double),
                         on_gpu};
    };
    const bool some = found.count > 0;
    *arrays = {found.count,
               numbers(found.position, 4),
               numbers(found.velocity, 3),
               numbers(some ? found.position + 3 : nullptr, 4),
               {const_cast<std::uint64_t*>(found.id), GROVE_U64, 0, 0, on_gpu},
               {const_cast<std::uint8_t*>(found.type), GROVE_U8, 0, 0, on_gpu},
               numbers(found.acceleration, 4),
               numbers(some ? found.acceleration + 3 : nullptr, 4)};
  });
}

int grove_take_back(grove_session* session, int is_written) {
  return with_session(
      session,
      [&](Session& s) {
        if (!s.is_lent()) throw ConfigError("the particles are not lent");
        s.take_back(is_written != 0);
      },
      true);
}

int grove_advise(grove_session* session, double time, const char** advice) {
  return with_session(session, [&](Session& s) {
    if (!advice) throw ConfigError("there is no place for the advice");
    const std::vector<std::string> lines = s.advice(time);
    session->notes = s.comm().is_root() ? fmt::format("{}", fmt::join(lines, "\n")) : "";
    *advice = session->notes.c_str();
  });
}

int grove_evolve(grove_session* session, double time, int (*callback)(grove_session*, void*), void* data) {
  bool is_complete = true;
  const int callers_gpu = session && session->gpu >= 0 ? current_gpu() : -1;
  const auto go_on = [&] {
    const UseGpu gpu(callers_gpu);
    return callback(session, data) == 0;
  };
  const int result = with_session(session, [&](Session& s) {
    require_no_step(*session, "step");
    const StepsOf steps(*session);
    is_complete = callback ? s.evolve(time, go_on) : s.evolve(time);
  });
  return result == GROVE_OK && !is_complete ? GROVE_STOPPED : result;
}

int grove_set_interrupt(grove_session* session, int (*is_interrupted)(void*), void* data) {
  return with_session(session, [&](Session& s) {
    s.set_interrupt(is_interrupted ? std::function<bool()>([=] { return is_interrupted(data) != 0; }) : std::function<bool()>());
  });
}

int grove_set_external(grove_session* session, int (*field)(void*, double, size_t, const double*, double*, double*), void* data) {
  return with_session(session, [&](Session& s) {
    s.set_external(!field ? ExternalFunction()
                          : [=](double time, std::size_t n, const double* position, double* acceleration, double* potential) {
                              session->asks_field = true;
                              const int result = field(data, time, n, position, acceleration, potential);
                              session->asks_field = false;
                              if (result != 0) throw ConfigError("the external field has failed");
                            });
  });
}

int grove_get_energies(grove_session* session, grove_energies* energies) {
  return with_session(session, [&](Session& s) {
    if (!energies) throw ConfigError("there is no place for the energies");
    const Diagnostics found = s.energies();
    *energies = {found.time, found.mass, found.kinetic, found.potential, found.external, found.total_energy(), {}, {}, {}};
    for (int d = 0; d < 3; ++d) {
      energies->momentum[d] = found.momentum[d];
      energies->angular_momentum[d] = found.angular_momentum[d];
      energies->centre_of_mass[d] = found.centre_of_mass[d];
    }
  });
}

int grove_field_at(grove_session* session, size_t count, grove_array points, grove_array acceleration, grove_array potential) {
  return with_session(session, [&](Session& s) {
    std::vector<double> places;
    s.comm().agree([&] { read("points", points, count, 3, places); });
    const FieldValues found = s.field_at(places);
    s.comm().agree([&] {
      if (acceleration.data) write("acceleration", found.acceleration, 3, acceleration);
      if (potential.data) write("potential", found.potential, 1, potential);
    });
  });
}

int grove_save(grove_session* session, const char* file, int overwrite) {
  return with_session(session, [&](Session& s) { s.save(file ? file : "", overwrite != 0); });
}

int grove_save_checkpoint(grove_session* session, const char* file, int overwrite) {
  return with_session(session, [&](Session& s) { s.save_checkpoint(file ? file : "", overwrite != 0); });
}

int grove_restore(grove_session* session, const char* file) {
  return with_session(session, [&](Session& s) {
    require_no_step(*session, "restore");
    s.restore(file ? file : "");
  });
}
