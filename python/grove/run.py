"""The output directory of a run."""

from __future__ import annotations

import os
import pathlib

import numpy as np

from .snapshot import Snapshot, load


class Run:
    """What `grove run` has written to a directory, while it runs or later.

        run = grove.Run("output")
        run.energies["time"], run.energies["relative_energy_error"]   # (rows,), by the names of energy.csv
        run.snapshots[-1], run.load(-1)
        run.configuration                                             # all settings, TOML
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = pathlib.Path(directory)
        if not (self.directory / "used_parameters.toml").is_file():
            raise ValueError(f"{directory} is no output directory of a run: it has no used_parameters.toml")

    @property
    def configuration(self) -> str:
        return (self.directory / "used_parameters.toml").read_text()

    @property
    def energies(self) -> np.ndarray:
        """The rows of energy.csv, a structured array."""
        return np.atleast_1d(np.genfromtxt(self.directory / "energy.csv", delimiter=",", names=True))

    @property
    def snapshots(self) -> list[pathlib.Path]:
        """Paths, in the order of time."""
        return sorted(self.directory.glob("snapshot_*.hdf5"), key=lambda file: int(file.stem.removeprefix("snapshot_")))

    def load(self, number: int) -> Snapshot:
        """The snapshot of a place in `snapshots`, as by grove.load()."""
        return load(self.snapshots[number])

    def __repr__(self):
        return f"<grove.Run: {self.directory}, {len(self.snapshots)} snapshots>"
