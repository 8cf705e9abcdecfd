"""The package on several ranks, started by mpirun: every rank has a share, and all end together. Prints a line of rank 0.

Usage: ranks.py RUN, the output directory of `grove run` on as many ranks (python_test.sh): steps have its bits.
"""

import os
import sys
import warnings

import numpy as np

import grove

rank, ranks = int(os.environ.get("OMPI_COMM_WORLD_RANK", 0)), int(os.environ.get("OMPI_COMM_WORLD_SIZE", 1))


def has_bits_of(run, s):
    """Whether this rank's share is that of the last snapshot, where h5py can read it."""
    try:
        snapshot = grove.Run(run).load(-1)
    except ImportError:
        return True
    rows = np.argsort(snapshot.id)[s.get("id").astype(int)]
    return s.time == snapshot.time and all(np.array_equal(s.get(name), getattr(snapshot, name)[rows]) for name in ("position", "velocity"))


# The steps of `grove run`: looked at between, and continued from a checkpoint.
config = {"initial_conditions": {"generator": "plummer", "n": 2000}}
one, other = (grove.Simulation(config=config, softening=0.05, dt=1 / 128, device="cpu") for _ in range(2))
one.load()


@one.every(1)
def look(s):
    with s.local_arrays(read_only=True) as a:
        assert a.mass.sum() > 0
    return s.energy.total > 0 and grove.STOP


one.evolve(0.125)
one.save_checkpoint(sys.argv[1] + "/here.checkpoint")
other.restore(sys.argv[1] + "/here.checkpoint")
for s in (one, other):
    assert s.evolve(0.25)
    assert has_bits_of(sys.argv[1], s), f"rank {rank} of {ranks}"

every = grove.generate("plummer", n=120, softening=0.05)
assert len(every) == 120 // ranks, len(every)
sim = grove.Simulation(every, softening=0.05, dt=1 / 128, device="cpu")
assert len(sim) == 120
sim.evolve(0.25, progress=rank == 0)  # one rank may look alone
ids = sim.particles.id
assert ids.tolist() == list(range(rank * 120 // ranks, (rank + 1) * 120 // ranks)), ids
acceleration, potential = sim.field([[rank, 0, 0]])
assert acceleration.shape == (1, 3) and potential[0] < 0


@sim.every(1)
def fails_on_the_last_rank(s):
    if rank == ranks - 1:
        raise RuntimeError("mine")


try:
    assert not sim.evolve(1)
    assert rank != ranks - 1
except RuntimeError:
    assert rank == ranks - 1
assert sim.time == 0.25 + 1 / 128
sim._every.clear()
own = grove.accelerations(sim.get("position"), sim.get("mass"), softening=0.05, device="cpu")
np.testing.assert_allclose(own, sim.get("acceleration"), atol=1e-6)  # FP32, of the order 1
# So are different times, and an array that does not fit on one rank.
for error, work in [
    (grove.SettingError, lambda: sim.evolve(1 + rank)),
    (ValueError, lambda: sim.set("mass", np.ones(7 if rank == ranks - 1 else len(ids)))),
    (ValueError, lambda: sim.remove(np.ones(7, bool) if rank == ranks - 1 else ids[:0])),
]:
    try:
        work()
        assert ranks == 1 and error is grove.SettingError
        break
    except error:
        pass
# So is what Python refuses on one rank, before the others are in Grove's code.
last = rank == ranks - 1
for work in (
    lambda: sim.evolve("1 Gyr" if last else sim.time + 1),
    lambda: sim.add(None if last else grove.Particles(np.eye(3) * 9 + rank, mass=1)),
    lambda: sim.field([[1, 2]] if last else [[1, 2, 3]]),
    lambda: setattr(sim, "particles", None if last else every),
):
    try:
        work()
        sys.exit("a mistake was taken")
    except (ValueError, TypeError):
        pass
assert len(sim) == 120
# Analysis is about the particles of this rank.
offset = every.position[:, None] - every.position[None]
pairs = every.mass / np.sqrt((offset**2).sum(2) + 0.05**2)
np.fill_diagonal(pairs, 0)
np.testing.assert_allclose(grove.Field(every.position, every.mass, softening=0.05, device="cpu", comm="self")()[1], -pairs.sum(1), rtol=1e-5)
assert every.bound(G=100, softening=0.05, device="cpu").all()
# Each rank may have other components, and none of some: lengths of all components come with the particles.
hole = {"stars": {"kind": "hernquist", "mass": 0.98, "scale_radius": 1.0, "taper": 20.0, "type": 4}, "hole": {"kind": "point", "mass": 0.02, "type": 5}}
nucleus = grove.generate("galaxy", galaxy="nucleus", galaxies={"nucleus": hole}, n=100)
assert set(nucleus.softening) == {"stars", "hole"}
for some, count in ((nucleus[nucleus.type != 5], 99), (nucleus[: len(nucleus) if rank else 0], 100 - 100 // ranks)):
    if count > 0:
        part = grove.Simulation(some, device="cpu")
        assert len(part) == count and part.particles.softening == nucleus.softening
        assert np.isfinite(part.get("potential")).all()
# A warning that is an error on the first rank is one on all.
long = grove.Simulation(every, softening=0.05, dt=4, device="cpu")
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        long.evolve(8)
        sys.exit("dt = 4 is too long, and nobody was told")
    except (UserWarning, grove.SettingError) as error:
        assert isinstance(error, UserWarning) == (rank == 0), error
# A bad particle of one rank is an error of all.
places = np.zeros((2, 3)) + [[0, 0, 0], [1, 0, np.nan if rank == ranks - 1 else 0]]
try:
    sim.particles = grove.Particles(places, mass=1)
    sys.exit("a particle at nan was taken")
except grove.DataError as error:
    assert "not finite" in str(error), error
energy = sim.energy.total
# An external field that fails on one rank.
sim.set_external(lambda x, t: (0 * x, 0 * x[:, 0]) if rank < ranks - 1 else 1 / 0)
try:
    sim.get("acceleration")
    sys.exit("the external field has failed, and nobody was told")
except ZeroDivisionError:
    assert rank == ranks - 1
except grove.SettingError as error:
    assert rank != ranks - 1 and "the external field has failed" in str(error), error
if rank == 0:
    print(f"{ranks} ranks: {energy:.9f}")
