"""Runs a recipe of docs/reading-snapshots.md in the present directory and compares what it has read with what `grove info` says.

readers_check.py READER DOCUMENT; the directory has info.json and the folder output.
"""

import json
import re
import subprocess
import sys
import warnings

import numpy as np

SOLAR_MASS_IN_G, KPC_IN_CM, GYR_IN_S = 1.98841e33, 3.0856776e21, 3.15576e16
DISC, HALO = "disc", "halo"


class Truth:
    """What `grove info --all --json` says."""

    def __init__(self):
        with open("info.json") as file:
            info = json.load(file)["files"][0]
        self.time, self.mass, self.box, self.centre = info["time"], info["mass"], info["box_size"], np.array(info["centre_of_mass"])
        self.components = {c["name"]: c for c in info["components"]}
        self.low, self.high = np.array(info["lowest_position"]), np.array(info["highest_position"])
        self.units = {name: float(value) for name, value in info["attributes"]["/Units"].items()}
        self.scale_length = 3000.0 if self.units["UnitLength_in_cm"] < 1e19 else 1.0

    def gyr(self):
        return self.time * self.units["UnitTime_in_s"] / GYR_IN_S

    def solar(self, mass):
        return mass * self.units["UnitMass_in_g"] / SOLAR_MASS_IN_G

    def kpc(self, length):
        return length * self.units["UnitLength_in_cm"] / KPC_IN_CM


def recipe(document, heading, language="python"):
    """The first block of code of a section."""
    with open(document) as file:
        section = re.search(rf"^## {heading}.*?$(.*?)(?=^## |\Z)", file.read(), re.M | re.S).group(1)
    return re.search(rf"```{language}\n(.*?)```", section, re.S).group(1)


def expect_near(what, found, expected, relative=1e-5, absolute=0.0):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    if found.shape != expected.shape or not np.all(np.abs(found - expected) <= relative * np.abs(expected) + absolute):
        sys.exit(f"{what}: {found}, not {expected}")


def expect(what, holds):
    if not holds:
        sys.exit(f"does not hold: {what}")


def check_h5py(seen, truth):
    expect_near("time", seen["time"], truth.time, 0)
    expect("names", sorted(seen["names"].values()) == sorted(truth.components))
    expect_near("mass", seen["mass"].sum(), truth.mass, 1e-12)
    expect_near("centre of mass", np.average(seen["position"], axis=0, weights=seen["mass"]), truth.centre, 0, 1e-9 * truth.box)
    import h5py

    with h5py.File("output/snapshot_0002.hdf5") as file:
        velocity = file["PartType2/Velocities"][:]
    expect_near("velocities", seen["velocity_in_cm_per_s"], velocity * truth.units["UnitVelocity_in_cm_per_s"], 1e-6)


def check_yt(seen, truth):
    ds = seen["ds"]
    expect("a file of GADGET", type(ds).__name__ == "GadgetHDF5Dataset")
    data = ds.all_data()
    for name, part in ((HALO, "PartType1"), (DISC, "PartType2")):
        expect(f"number of {name} particles", data[part, "particle_mass"].size == truth.components[name]["particles"])
        expect_near(f"mass of the {name}", data[part, "particle_mass"].sum().to("g").value,
                    truth.components[name]["mass"] * truth.units["UnitMass_in_g"])
    expect_near("mass", float(seen["mass"]), truth.solar(truth.mass))
    expect_near("time", float(ds.current_time.to("Gyr")), truth.gyr())
    expect_near("lowest position", data["all", "particle_position"].min(axis=0).to("code_length").value, truth.low)
    # The galaxy is in the middle of the picture: in its plane, the disc and the centre of the halo are brighter than all else.
    plot = seen["plot"]
    plot.set_buff_size((32, 32))
    image = np.asarray(plot.frb["all", "particle_mass"])
    left, right, bottom, top = (float(edge) for edge in plot.frb.bounds)
    row, column = np.unravel_index(np.nanargmax(image), image.shape)
    x, y = left + (column + 0.5) / 32 * (right - left), bottom + (row + 0.5) / 32 * (top - bottom)
    expect(f"the brightest pixel, at {x}, {y}, is on the galaxy", np.hypot(x, y) < 2 * truth.scale_length)
    expect("most of the picture is there", np.nansum(image) > 0.3 * truth.mass * truth.units["UnitMass_in_g"])
    expect("the picture was saved", open("projection.png", "rb").read(4) == b"\x89PNG")


def check_pynbody(seen, truth):
    s = seen["s"]
    for name, part in ((HALO, seen["halo"]), (DISC, seen["disc"])):
        expect(f"number of {name} particles", len(part) == truth.components[name]["particles"])
        expect_near(f"mass of the {name}", part["mass"].sum().in_units("Msol"), truth.solar(truth.components[name]["mass"]), 1e-4)
    expect_near("time", s.properties["time"].in_units("Gyr"), truth.gyr(), 1e-3, 1e-12)
    expect_near("centre of mass", s.mean_by_mass("pos").in_units("kpc"), truth.kpc(truth.centre), 1e-4, 1e-6 * truth.kpc(truth.box))
    units = truth.units
    in_cgs = {"pos": ("cm", units["UnitLength_in_cm"]), "vel": ("cm s**-1", units["UnitVelocity_in_cm_per_s"]),
              "mass": ("g", units["UnitMass_in_g"]), "phi": ("cm**2 s**-2", units["UnitVelocity_in_cm_per_s"] ** 2),
              "Acceleration": ("cm s**-2", units["UnitVelocity_in_cm_per_s"] ** 2 / units["UnitLength_in_cm"])}
    for name, (unit, expected) in in_cgs.items():
        expect_near(f"unit of {name}", s[name].units.in_units(unit), expected, 1e-6)


def check_unsio(seen, truth):
    snapshot = seen["snapshot"]
    expect_near("mass of the disc", seen["mass"].sum(), truth.components[DISC]["mass"], 1e-12)
    expect("number of disc particles", seen["position"].size == 3 * truth.components[DISC]["particles"])
    _, mass = snapshot.getData("all", "mass")
    _, position = snapshot.getData("all", "pos")
    expect_near("centre of mass", np.average(position.reshape(-1, 3), axis=0, weights=mass), truth.centre, 0, 1e-9 * truth.box)
    expect_near("time", snapshot.getData("time")[1], truth.time, 1e-6)
    _, ids = snapshot.getData("all", "id")
    expect("each id once", len(set(ids)) == len(mass))


def check_vtk(seen, truth):
    expect("three times", len(seen["times"]) == 3 and seen["times"][0] == 0)
    expect_near("last time", seen["times"][-1], truth.time, 1e-15)
    low, high, first = np.inf, -np.inf, seen["reader"]
    for name, points in ((HALO, seen["halo"]), (DISC, seen["disc"])):
        expect("a point and a cell each", points.GetNumberOfPoints() == points.GetNumberOfCells() == truth.components[name]["particles"])
        fields = points.GetPointData()
        masses = fields.GetArray("Masses")
        expect_near(f"mass of the {name}", sum(masses.GetTuple1(i) for i in range(masses.GetNumberOfTuples())),
                    truth.components[name]["mass"], 1e-12)
        for field, components in (("Velocities", 3), ("Acceleration", 3), ("Potential", 1), ("ParticleIDs", 1)):
            expect(field, fields.GetArray(field).GetNumberOfComponents() == components)
        expect("ids in 64 bits", fields.GetArray("ParticleIDs").GetDataTypeSize() == 8)
        bounds = np.array(points.GetBounds())
        low, high = np.minimum(low, bounds[0::2]), np.maximum(high, bounds[1::2])
    expect_near("lowest position", low, truth.low, 1e-12)
    expect_near("highest position", high, truth.high, 1e-12)
    names = [first.GetOutputDataObject(0).GetMetaData(i).Get(data_set().NAME()).split("[")[0] for i in (0, 1)]
    expect("names of the components", names == [HALO, DISC])


def data_set():
    from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet

    return vtkCompositeDataSet


def check_families(document):
    """With the lines for config.ini, the disc is a family of its own."""
    with open("config.ini", "w") as file:
        file.write(recipe(document, "pynbody", "ini"))
    counts = subprocess.run([sys.executable, "-c", "import pynbody; s = pynbody.load('output/snapshot_0002.hdf5'); print(len(s.dm), len(s.star))"],
                            capture_output=True, text=True, check=True).stdout
    subprocess.run(["rm", "config.ini"], check=True)
    truth = Truth()
    expect("families", counts.split() == [str(truth.components[name]["particles"]) for name in (HALO, DISC)])


CHECKS = {"h5py": check_h5py, "yt": check_yt, "pynbody": check_pynbody, "unsio": check_unsio, "ParaView": check_vtk}


def main():
    reader, document = sys.argv[1:]
    if reader == "yt":
        import yt

        yt.set_log_level("error")
    seen = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(recipe(document, reader), seen)
        CHECKS[reader](seen, Truth())
    complaints = [str(w.message) for w in caught if reader == "pynbody" and "pynbody" in w.filename]
    expect(f"no warnings of pynbody: {complaints}", not complaints)
    if reader == "pynbody":
        check_families(document)
    print(f"ok   {reader}")


main()
