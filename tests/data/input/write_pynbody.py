"""Writes the files pynbody_*: `python write_pynbody.py` in this directory, with pynbody 2.8.0."""
import numpy
import pynbody

# Row i over gas, dark matter, stars: mass i + 1, position i + 0.25, 2 i, -i; velocity -i - 0.5, i, 0.125.
def snapshot():
    s = pynbody.new(gas=2, dm=4, star=3)
    s.physical_units = lambda *args, **kwargs: None
    first = 0
    for family, softening in ((s.gas, None), (s.dm, 0.5), (s.star, 0.25)):
        i = numpy.arange(first, first + len(family), dtype=float)
        first += len(family)
        family["mass"] = i + 1
        family["pos"] = numpy.stack([i + 0.25, 2 * i, -i], axis=1)
        family["vel"] = numpy.stack([-i - 0.5, i, 0 * i + 0.125], axis=1)
        if softening:
            family["eps"] = 0 * i + softening
    for name, value in (("a", 2.5), ("z", 0.0), ("omegaM0", 0.0), ("omegaL0", 0.0), ("h", 1.0)):
        s.properties[name] = value
    s.properties["boxsize"] = 0.0 * pynbody.units.Unit("kpc")
    return s

s = snapshot()
s.write(fmt=pynbody.snapshot.tipsy.TipsySnap, filename="pynbody_fp32.tipsy", cosmological=False)
s = snapshot()
s.write(fmt=pynbody.snapshot.tipsy.TipsySnap, filename="pynbody_fp64_positions.tipsy", double_pos=True, cosmological=False)
s = snapshot()
s.write(fmt=pynbody.snapshot.tipsy.TipsySnap, filename="pynbody_fp64_positions_velocities.tipsy", double_pos=True, double_vel=True, cosmological=False)
s = snapshot()
for f, first in ((s.gas, 100), (s.dm, 200), (s.star, 300)):
    f["iord"] = numpy.arange(first, first + len(f), dtype=numpy.int32)
    f["pos"].units = "kpc"
    del f["eps"]
s.write(fmt=pynbody.snapshot.gadget.GadgetSnap, filename="pynbody.gadget2")
