/* A C program that uses Grove: two particles on a circle about each other, for one orbit; and the field beside them.
 *
 *   mpirun -n 2 example_c
 */
#include <grove.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void require(int result) {
  if (result == GROVE_OK) return;
  fprintf(stderr, "%s\n", grove_last_error());
  exit(result);
}

int main(void) {
  grove_session* session = NULL;
  require(grove_create("[gravity]\nmethod = \"direct\"\n[time]\ndt = 0.001\n[run]\ndevice = \"cpu\"\n", NULL, &session));
  double position[2][3] = {{-0.5, 0, 0}, {0.5, 0, 0}}, velocity[2][3] = {{0, -0.5, 0}, {0, 0.5, 0}}, mass[2] = {0.5, 0.5};
  uint64_t count = 0, id[2] = {0, 1};
  size_t share = 0;
  grove_particles two = {
      2, {position, GROVE_F64, 0, 0, 0}, {velocity, GROVE_F64, 0, 0, 0}, {mass, GROVE_F64, 0, 0, 0}, {id, GROVE_U64, 0, 0, 0}, {0}};
  /* The first rank brings them. */
  require(grove_count(session, &count, &share));
  if (getenv("OMPI_COMM_WORLD_RANK") && atoi(getenv("OMPI_COMM_WORLD_RANK")) > 0) two.count = 0;
  require(grove_set_particles(session, &two));
  require(grove_evolve(session, 6.283, NULL, NULL));

  double point[3] = {0, 0, 1}, acceleration[3], potential;
  grove_energies energies;
  require(grove_get_energies(session, &energies));
  require(grove_field_at(session, 1, (grove_array){point, GROVE_F64, 0, 0, 0}, (grove_array){acceleration, GROVE_F64, 0, 0, 0},
                         (grove_array){&potential, GROVE_F64, 0, 0, 0}));
  require(grove_count(session, &count, &share));
  require(grove_get(session, "position", (grove_array){position, GROVE_F64, 0, 0, 0}));
  printf("%s: %llu particles, %zu here, energy %.6f, potential %.6f\n", grove_version(), (unsigned long long)count, share, energies.total,
         potential);
  if (share > 0 && fabs(fabs(position[0][0]) - 0.5) > 1e-4) return 1;
  return grove_destroy(session);
}
