#!/usr/bin/env python3
"""Writes the HDF5 files of this folder, with swiftsimio 12.4.0 and h5py 3.16.0: write_hdf5.py FOLDER. README.md says what is in them."""

import sys

import h5py
import numpy as np
import unyt
from swiftsimio import Writer, cosmo_array
from swiftsimio.metadata.writer.unit_systems import cosmo_units

folder = sys.argv[1]


def numbers(first, count):
    """x of particle i is first + i, y a half more, z one more."""
    i = np.arange(first, first + count)
    return np.stack([i, i + 0.5, i + 1.0], axis=1)


def write_swift(name, units, length, velocity, mass, box, components, scale_factor=1.0):
    def array(values, unit):
        return cosmo_array(values, unit, comoving=True, scale_factor=scale_factor, scale_exponent=0)

    writer = Writer(unit_system=units, boxsize=array([box] * 3, length), scale_factor=scale_factor, compress=False)
    first = 0
    for component, count in components:
        group = getattr(writer, component)
        group.coordinates = array(numbers(first, count), length)
        group.velocities = array(-10 * numbers(first, count), velocity)
        group.masses = array(1.0 + np.arange(first, first + count), mass)
        group.particle_ids = np.arange(100 + first, 100 + first + count, dtype=np.uint64)
        if component == "gas":
            group.internal_energy = array(np.full(count, 2.0), velocity**2)
            group.smoothing_lengths = array(np.full(count, 0.1), length)
        first += count
    writer.write(f"{folder}/{name}")


kpc, km_s, mass = unyt.kpc, unyt.km / unyt.s, 1e10 * unyt.solMass
galactic = unyt.UnitSystem("galactic", kpc, unyt.unyt_quantity(1e10, unyt.solMass), unyt.unyt_quantity(1.0, kpc / km_s).to(unyt.Gyr))
write_swift("swift_ics.hdf5", galactic, kpc, km_s, unyt.Unit(mass), 64.0, [("gas", 3), ("dark_matter", 5)])
write_swift("swift_cosmological.hdf5", cosmo_units, unyt.Mpc, km_s, unyt.Unit(mass), 8.0, [("dark_matter", 4)], 0.5)

# A snapshot in SWIFT's layout, as its documentation describes it.
with h5py.File(f"{folder}/swift_snapshot.hdf5", "w", libver="v110") as f:
    header = f.create_group("Header")
    header.attrs["Code"] = np.bytes_("SWIFT")
    header.attrs["BoxSize"] = [32.0, 32.0, 32.0]
    header.attrs["Time"], header.attrs["Redshift"], header.attrs["Scale-factor"] = [0.25], [0.0], [1.0]
    for key in ("NumPart_ThisFile", "NumPart_Total"):
        header.attrs[key] = np.array([0, 4, 0, 0, 2, 1, 0], dtype=np.uint64)
    header.attrs["NumPart_Total_HighWord"] = np.zeros(7, dtype=np.uint32)
    header.attrs["MassTable"] = np.zeros(7)
    header.attrs["NumFilesPerSnapshot"] = np.array([1], dtype=np.int32)
    f.create_group("Code").attrs["Code Version"] = np.bytes_("2025.04")
    cosmology = f.create_group("Cosmology")
    cosmology.attrs["Cosmological run"], cosmology.attrs["h"] = np.array([0], dtype=np.int32), [0.7]
    f.create_group("Parameters").attrs["InitialConditions:periodic"] = np.bytes_("0")
    f.create_group("GravityScheme").attrs["Comoving DM softening length [internal units]"] = [0.125]
    units = f.create_group("Units")
    units.attrs["Unit length in cgs (U_L)"], units.attrs["Unit mass in cgs (U_M)"] = [3.0e21], [2.0e43]
    units.attrs["Unit time in cgs (U_t)"] = [3.0e16]
    units.attrs["Unit current in cgs (U_I)"], units.attrs["Unit temperature in cgs (U_T)"] = [1.0], [1.0]
    first = 0
    for kind, count in ((1, 4), (4, 2), (5, 1)):
        group = f.create_group(f"PartType{kind}")
        chunks = dict(chunks=(2, 3), compression="gzip", shuffle=True) if count > 1 else {}
        group.create_dataset("Coordinates", data=numbers(first, count), **chunks)
        group.create_dataset("Velocities", data=(-10 * numbers(first, count)).astype(np.float32))
        group.create_dataset("DynamicalMasses" if kind == 5 else "Masses", data=(1.0 + np.arange(first, first + count)).astype(np.float32))
        group.create_dataset("ParticleIDs", data=np.arange(100 + first, 100 + first + count))
        group.create_dataset("Softenings", data=np.full(count, 0.125 * kind, dtype=np.float32))
        first += count
    f["DMParticles"] = h5py.SoftLink("/PartType1")

# GADGET's layout as scripts write it: big-endian, compressed, texts of variable length, a table of masses.
with h5py.File(f"{folder}/gadget_by_h5py.hdf5", "w", libver="v110") as f:
    header = f.create_group("Header")
    header.attrs["NumPart_ThisFile"] = header.attrs["NumPart_Total"] = np.array([0, 6, 4, 0, 0, 0], dtype=np.int32)
    header.attrs["MassTable"], header.attrs["Time"], header.attrs["BoxSize"] = [0, 0, 0.25, 0, 0, 0], 0.75, 0.0
    header.attrs["Redshift"], header.attrs["NumFilesPerSnapshot"] = 0.0, 1
    header.attrs["Code"] = "a script \033[31min red"
    for first, (kind, count) in ((0, (1, 6)), (6, (2, 4))):
        group = f.create_group(f"PartType{kind}")
        group.attrs["ComponentName"] = ("inner halo", " thin\ndisc \033[0m")[kind - 1]
        group.create_dataset("Coordinates", data=numbers(first, count).astype(">f4"), chunks=(4, 3), compression="gzip")
        group.create_dataset("Velocities", data=(-10 * numbers(first, count)).astype(">f8"))
        group.create_dataset("ParticleIDs", data=np.arange(100 + first, 100 + first + count, dtype=">i4"))
        if kind == 1:
            group.create_dataset("Masses", data=1.0 + np.arange(first, first + count))
