"""Snapshots, read with h5py alone."""

import types

import numpy as np

from .particles import Particles


class Snapshot(Particles):
    """Particles of a file, in its order, with `time`, `components` (names by type), `units` (cgs) and `G`, as it says them."""

    time: float
    components: dict
    units: types.SimpleNamespace
    G: float


def load(file):
    """Reads a snapshot of Grove, or another one of GADGET's form in one file. Needs h5py. Returns a Snapshot."""
    import h5py

    with h5py.File(file, "r") as data:
        groups = {int(name[8:]): group for name, group in data.items() if name.startswith("PartType") and "Coordinates" in group}
        if not groups:
            raise ValueError(f"{file}: there are no particles (PartTypeK/Coordinates)")
        header = dict(data["Header"].attrs)
        parameters = dict(data["Parameters"].attrs) if "Parameters" in data else {}
        if header.get("NumFilesPerSnapshot", 1) != 1:
            raise ValueError(f"{file} is one of {header['NumFilesPerSnapshot']} files of a snapshot, of which this reads single ones")
        columns = {name: [] for name in ("position", "velocity", "mass", "id", "type")}
        for number, group in sorted(groups.items()):
            n = len(group["Coordinates"])
            columns["position"].append(group["Coordinates"][:])
            columns["velocity"].append(group["Velocities"][:])
            columns["mass"].append(group["Masses"][:] if "Masses" in group else np.full(n, header["MassTable"][number]))
            columns["id"].append(group["ParticleIDs"][:])
            columns["type"].append(np.full(n, number, np.uint8))
        joined = {name: np.concatenate(parts) for name, parts in columns.items()}
        snapshot = Snapshot(joined["position"], joined["velocity"], joined["mass"], id=joined["id"], type=joined["type"])
        snapshot.time = float(header["Time"])
        names = {number: group.attrs.get("ComponentName", b"") for number, group in groups.items()}
        snapshot.components = {number: name.decode() if isinstance(name, bytes) else str(name) for number, name in names.items()}
        names = {"length_in_cm": "UnitLength_in_cm", "mass_in_g": "UnitMass_in_g", "velocity_in_cm_per_s": "UnitVelocity_in_cm_per_s"}
        snapshot.units = types.SimpleNamespace(**{name: float(parameters.get(key, np.nan)) for name, key in names.items()})
        snapshot.G = float(parameters.get("GravityConstantInternal", np.nan))
        return snapshot
