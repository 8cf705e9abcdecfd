"""Snapshots, read with h5py alone."""

from __future__ import annotations

import os

import numpy as np

from .particles import Particles, usual_name
from .units import Units


class Snapshot(Particles):
    """Particles of a file, in its order, with `time`, `components` (names by type), `units`, `G` and, in a file of Grove, `softening`, as
    it says them. Where it does not say G, that is the physical constant in its units; where it says neither, units are None and G is NaN."""

    time: float
    G: float


def _units(data):
    """Of GADGET-4 and Grove (/Parameters) or SWIFT (/Units); None where the file does not say them."""
    parameters = dict(data["Parameters"].attrs) if "Parameters" in data else {}
    others = dict(data["Units"].attrs) if "Units" in data else {}
    if others.get("NBodyUnits", 0):
        return Units(1.0, 1.0, 1.0)
    if "UnitLength_in_cm" in parameters:
        return Units(*(float(parameters[f"Unit{name}"]) for name in ("Length_in_cm", "Mass_in_g", "Velocity_in_cm_per_s")))
    if "Unit length in cgs (U_L)" in others:
        names = (f"Unit {name} in cgs ({symbol})" for name, symbol in (("length", "U_L"), ("mass", "U_M"), ("time", "U_t")))
        length, mass, time = (float(np.ravel(others[name])[0]) for name in names)
        return Units(length, mass, length / time)
    return None


def _softening(data, components):
    """Of a file of Grove: one length, or lengths by component; None for other files."""
    code = data["Header"].attrs.get("Code", b"")
    if (code.decode() if isinstance(code, bytes) else str(code)) != "Grove" or "Parameters" not in data:
        return None
    attributes = data["Parameters"].attrs
    classes = {name: attributes.get(f"SofteningClassOfPartType{number}") for number, name in components.items()}
    lengths = {name: float(attributes.get(f"SofteningComovingClass{k}", np.nan)) for name, k in classes.items() if k is not None}
    if len(lengths) < len(components) or not all(length >= 0 for length in lengths.values()):
        return None
    return lengths if len(set(lengths.values())) > 1 else next(iter(lengths.values()))


def load(file: str | os.PathLike[str]) -> Snapshot:
    """Reads a snapshot of Grove, or another one of GADGET's form in one file. Needs h5py. Returns a Snapshot."""
    import h5py

    with h5py.File(file, "r") as data:
        groups = {int(name[8:]): group for name, group in data.items() if name.startswith("PartType") and "Coordinates" in group}
        if not groups:
            raise ValueError(f"{file}: there are no particles (PartTypeK/Coordinates); checkpoints are for Simulation.restore()")
        header = dict(data["Header"].attrs)
        parameters = dict(data["Parameters"].attrs) if "Parameters" in data else {}
        if header.get("NumFilesPerSnapshot", 1) != 1:
            raise ValueError(f"{file} is one of {header['NumFilesPerSnapshot']} files of a snapshot, of which this reads single ones")
        columns: dict[str, list[np.ndarray]] = {name: [] for name in ("position", "velocity", "mass", "id", "type")}
        for number, group in sorted(groups.items()):
            n = len(group["Coordinates"])
            columns["position"].append(group["Coordinates"][:])
            columns["velocity"].append(group["Velocities"][:])
            # SWIFT has two masses of black holes.
            masses = next((group[name][:] for name in ("Masses", "DynamicalMasses") if name in group), None)
            if masses is None and not header["MassTable"][number] > 0:
                raise ValueError(f"{file}: particles of type {number} have no masses, neither Masses nor an entry of MassTable")
            columns["mass"].append(np.full(n, header["MassTable"][number]) if masses is None else masses)
            columns["id"].append(group["ParticleIDs"][:])
            columns["type"].append(np.full(n, number, np.uint8))
        joined = {name: np.concatenate(parts) for name, parts in columns.items()}
        snapshot = Snapshot(joined["position"], joined["velocity"], joined["mass"], id=joined["id"], type=joined["type"])
        snapshot.time = float(np.ravel(header["Time"])[0])
        names = {number: group.attrs.get("ComponentName", b"") for number, group in groups.items()}
        texts = {number: name.decode() if isinstance(name, bytes) else str(name) for number, name in names.items()}
        snapshot.components = {number: text or usual_name(number) for number, text in texts.items()}
        snapshot.units, snapshot.softening = _units(data), _softening(data, snapshot.components)
        # GADGET-4 writes 0 for the physical constant.
        snapshot.G = float(parameters.get("GravityConstantInternal", 0)) or (snapshot.units.physical_G if snapshot.units else np.nan)
        return snapshot
