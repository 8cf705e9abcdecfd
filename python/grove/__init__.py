"""Grove: gravitational N-body simulations on GPUs and CPUs.

    import grove

    sim = grove.Simulation(grove.generate("plummer", n=10_000), softening=0.01, dt=0.001)
    sim.evolve(1.0)
    x = sim.particles.position          # (N, 3), in the order of ids

Arrays are (N, 3) or (N,), of any stride, in float32 or float64. Plain numbers are in code units: G is 1, unless the
configuration says otherwise. Quantities of astropy and unyt are converted to code units. Under mpirun every rank has a
share of the particles, and all ranks call the same functions.
"""

from ._library import DataError, Error, SettingError, SystemError, version
from .analysis import Bar, Centre
from .field import Field, accelerations, potential
from .particles import Particles
from .run import Run
from .simulation import STOP, Energy, Simulation, generate
from .snapshot import Snapshot, load
from .units import Units

__all__ = [
    "STOP", "Bar", "Centre", "DataError", "Energy", "Error", "Field", "Particles", "Run", "SettingError", "Simulation", "Snapshot", "SystemError",
    "Units", "accelerations", "generate", "load", "potential", "version",
]
