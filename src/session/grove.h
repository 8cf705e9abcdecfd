/* The C interface of Grove: a simulation in the memory of the calling program.
 *
 *   grove_session* s = NULL;
 *   if (grove_create("[gravity]\nsoftening = 0.01\n[time]\ndt = 0.001\n", NULL, &s) != GROVE_OK) puts(grove_last_error());
 *
 * Link with -lgrove_c. All numbers are in code units: G is 1 unless the configuration says otherwise (gravity.G, [units]).
 *
 * Every function returns GROVE_OK or the kind of error, of which grove_last_error() has the sentence; no C++ exception leaves it. After an
 * error the session can be used further, unless the error is GROVE_SYSTEM on more than one rank. On several ranks all functions that take a
 * session must be called by all of its ranks, in the same order; errors are the same on all of them. A session may be used by one thread at
 * a time; another one gets an error. A callback may not step or destroy its session. Signal handlers, standard output and the present GPU
 * of CUDA stay as they are.
 *
 * Every rank has a share of the particles: sorted by id rank by rank, with the same number on every rank to within one. On one rank it is
 * all of them, in the order of their ids.
 */
#ifndef GROVE_H
#define GROVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct grove_session grove_session;

/* Kinds of errors. */
enum {
  GROVE_OK = 0,
  GROVE_DEFECT = 1,  /* of Grove: please report it */
  GROVE_SETTING = 2, /* a key, value or argument; the sentence says what is allowed */
  GROVE_DATA = 3,    /* particles that cannot be used */
  GROVE_SYSTEM = 4,  /* memory, GPU, MPI, file system */
  GROVE_STOPPED = 5  /* no error: the callback of grove_evolve() asked for it */
};

/* Types of the elements of an array. */
enum { GROVE_F32 = 0, GROVE_F64 = 1, GROVE_U8 = 2, GROVE_U64 = 3 };

/* Numbers of particles, in the memory of the host or of a GPU: `data` is the first one's first component. `row` and `column` are bytes from
 * a particle to the next one and from a component to the next one; 0: without gaps. Vectors have 3 components. Floating-point fields are
 * read and written as GROVE_F32 or GROVE_F64, id as GROVE_U64, type as GROVE_U8. `on_gpu`: not 0 for memory of a GPU, which is copied; of
 * arrays that grove_lend() gives, 1 + the number of the GPU. */
typedef struct {
  void* data;
  int type;
  ptrdiff_t row, column;
  int on_gpu;
} grove_array;

/* Particles to be taken. Without data, velocity is 0 and type is 1 (halo), and ids are new: on all ranks together, one above the other. */
typedef struct {
  size_t count; /* of this rank, in any order */
  grove_array position, velocity, mass, id, type;
} grove_particles;

/* The particles of this rank where they are, in their present order. */
typedef struct {
  size_t count;
  grove_array position, velocity; /* may be written */
  grove_array mass, id, type, acceleration, potential;
} grove_local_arrays;

/* Over all particles. Energies: potential of the particles' own gravity, external in external potentials. */
typedef struct {
  double time, mass, kinetic, potential, external, total;
  double momentum[3], angular_momentum[3], centre_of_mass[3];
} grove_energies;

/* Code units in cgs, all 1 for N-body units; and G in code units. */
typedef struct {
  double length_in_cm, mass_in_g, velocity_in_cm_per_s, G;
} grove_units;

/* Version and commit: "Grove 0.1.0 (commit 1234567890ab)". */
const char* grove_version(void);
/* The last error of this thread, a sentence; "" at first. Valid until the thread's next call. */
const char* grove_last_error(void);

/* Makes a session. `toml`: a configuration as `grove run` takes it, without the keys of its output, time.end and run.max_wall_time.
 * `comm`: the address of an MPI_Comm, of which Grove takes a duplicate; NULL: MPI_COMM_WORLD. MPI is initialised if nobody has done it;
 * then it is finalised at the end of the process. */
int grove_create(const char* toml, const void* comm, grove_session** session);
/* The address of MPI_COMM_SELF, for programs that do not know MPI. */
const void* grove_comm_self(void);
/* Frees everything. NULL is allowed. */
int grove_destroy(grove_session* session);

/* Takes the particles of [initial_conditions], at time.begin. */
int grove_load(grove_session* session);
/* Names of the components, one for each of the types 0 to 5: gas, halo, disc, bulge, stars, black holes, or those of the file, model or
 * checkpoint from which the particles come. A softening by component goes by them, and snapshots have them. Valid until the names change.
 */
int grove_get_components(grove_session* session, const char* names[6]);
/* Names them, the same on all ranks. NULL or "": the usual one. */
int grove_set_components(grove_session* session, const char* const names[6]);
/* Softening lengths of the types 0 to 5: the same for all or, where gravity.softening is a table, those of the components with these names,
 * and NAN for a component without one. Of galaxies of [initial_conditions] without gravity.softening, those that Grove chooses by the
 * numbers of their particles. */
int grove_get_softening(grove_session* session, double lengths[6]);
/* Takes particles in place of all. */
int grove_set_particles(grove_session* session, const grove_particles* particles);
/* Adds particles. Ids that are given must be new. */
int grove_add_particles(grove_session* session, const grove_particles* particles);
/* Removes the particles with these ids. They may be given on any rank; an id without a particle is an error, and none is removed. */
int grove_remove_particles(grove_session* session, size_t count, const uint64_t* ids);

/* Numbers of particles, of all ranks and of this rank's share. Either may be NULL. */
int grove_count(grove_session* session, uint64_t* all, size_t* share);
int grove_time(grove_session* session, double* time);
int grove_get_units(grove_session* session, grove_units* units);
/* Sentences on the particles that grove_load() has taken, a line each; "" without any. Valid until the session's next call. */
int grove_notes(grove_session* session, const char** notes);
/* Copies a field of this rank's share: position, velocity, mass, id, type, acceleration [length / time^2], potential (per unit mass,
 * without the particle's own) or time_step (the present one of each particle, where output.fields names it). */
int grove_get(grove_session* session, const char* field, grove_array to);
/* Sets position, velocity, mass or type of this rank's share. Forces are computed anew, unless only velocities have changed. */
int grove_set(grove_session* session, const char* field, grove_array from);

/* Lends this rank's particles without a copy. Until grove_take_back() the session is for nothing else; then the arrays are invalid. */
int grove_lend(grove_session* session, grove_local_arrays* arrays);
/* `is_written`: not 0 where positions or velocities have been written. Then forces are computed anew, after all work on the GPU; numbers
 * that are not finite, and other masses, are an error, and the particles must be set anew. */
int grove_take_back(grove_session* session, int is_written);

/* What `grove run` notes at its start on a time step that is too long, particles that are not bound and an unusual G, for steps until
 * `time`: a sentence a line, once for particles that were set, loaded or restored; "" for nothing, and on other ranks than the first. Valid
 * until the session's next call. */
int grove_advise(grove_session* session, double time, const char** advice);
/* Steps until `time`, in equal steps of time.dt or, where these do not divide the time, the longest ones below that do. After each step
 * `callback`, if there is one, may look at particles and energies and change them; where it returns anything but 0 on any rank, the steps
 * end with GROVE_STOPPED. Where only some ranks give one, it can ask for nothing but the time: all else is collective. */
int grove_evolve(grove_session* session, double time, int (*callback)(grove_session* session, void* data), void* data);

/* grove_evolve() also asks `is_interrupted` after each step, and ends with GROVE_STOPPED where that is not 0 on any rank: after that step
 * or the next one. It may not use the session, so that steps overlap as without it. NULL: no longer. */
int grove_set_interrupt(grove_session* session, int (*is_interrupted)(void* data), void* data);

/* Adds a field of the caller's to the forces: `field` is called at each force evaluation, on each rank with the positions of some of its
 * particles, 3 * count numbers one after the other, in any order. It sets accelerations [3 * count] and potentials [count] and returns 0,
 * or anything else where it fails, which ends the call that needs the forces with GROVE_SETTING. It may not use the session, and ranks may
 * call it a different number of times. Energies count it as an external potential. It replaces an earlier one; NULL: there is none. */
int grove_set_external(grove_session* session,
                       int (*field)(void* data, double time, size_t count, const double* position, double* acceleration, double* potential),
                       void* data);

int grove_get_energies(grove_session* session, grove_energies* energies);
/* Acceleration (3 components) and potential, of all particles and external potentials, at `count` points of this rank. Either may be
 * without data. A copy of the particles and their tree are kept until the particles change, so later calls take much less time. */
int grove_field_at(grove_session* session, size_t count, grove_array points, grove_array acceleration, grove_array potential);

/* Writes a snapshot (HDF5), which `grove run`, grove_load() and other programs read. A file that exists is replaced where `overwrite` is
 * not 0 and Grove has written it. */
int grove_save(grove_session* session, const char* file, int overwrite);

/* Writes a checkpoint: grove_restore() continues from it with the bits of a session that was not interrupted, on as many ranks and
 * the same kind of device. Otherwise as grove_save(). */
int grove_save_checkpoint(grove_session* session, const char* file, int overwrite);
/* Takes particles and time from a checkpoint, also of `grove run`. Settings that change what is computed must be the same, except time.dt,
 * and an external field must be set where there was one, and nowhere else. */
int grove_restore(grove_session* session, const char* file);

#ifdef __cplusplus
}
#endif

#endif
