#!/usr/bin/env python3
"""Which integrator is the most accurate for its cost? A collision of 512 bodies, by direct summation, with all of them.

  integrators.py [--grove PROGRAM] [--output DIR] [--longest-run EVALUATIONS] [--long-time T]

Two Plummer spheres of 256 bodies each fall into each other, to t = 2.5, with steps of 0.1 / 8^k: errors.png shows the largest errors of
energy, momentum and angular momentum against the number of force evaluations. Then the same bodies go on to --long-time with embedded pairs,
which choose their steps: steps.png shows how long these are. Needs numpy and matplotlib.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

BODIES, END, FIRST_STEP = 512, 2.5, 0.1
# Forces a step; those of Runge-Kutta methods stand in time_bins.csv.
FORCES = {"leapfrog": 1, "yoshida4": 3, "suzuki4": 5, "yoshida6": 7, "kahan_li8": 15}
PAIRS = ("dormand_prince", "fehlberg7", "verner6", "cash_karp")

CONFIGURATION = f"""
[initial_conditions]
generator = "merger"
model = "plummer"
n = {BODIES}
separation = 2.0
pericentre = 0.1
seed = 1
[gravity]
method = "direct"
softening = 0.01
[output]
snapshots = "none"
"""


def run(grove, directory, *settings):
    """The columns of energy.csv, and of time_bins.csv where there is one; None if the run fails."""
    command = [grove, "run", str(directory.parent / "collision.toml"), "--quiet", "--overwrite", "--set", f"output.directory={directory}"]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"  fails: {done.stderr.strip().splitlines()[-1]}")
        return None
    read = lambda name: np.genfromtxt(directory / name, delimiter=",", names=True)
    return read("energy.csv"), read("time_bins.csv") if (directory / "time_bins.csv").exists() else None


def evaluations(bins):
    """Force evaluations of all bodies in each step."""
    return sum(bins[name] for name in bins.dtype.names if name.endswith("_updates")) / BODIES


def errors(energy):
    """Largest error of the energy, and of momentum and angular momentum over their scale m v and m v r, which are 1 here."""
    vector = lambda name: np.stack([energy[f"{name}_{axis}"] for axis in "xyz"], axis=1)
    change = lambda name: np.linalg.norm(vector(name) - vector(name)[0], axis=1).max()
    return np.abs(energy["relative_energy_error"]).max(), change("momentum"), change("angular_momentum")


def of_starter(name):
    """Force evaluations beyond one a step of an Adams-Bashforth method."""
    order = int(name[-1]) if name.startswith("adams") else 1
    return (order - 1) * (3 if order < 5 else 5)


def names_of_integrators(grove):
    command = [grove, "run", "--print-config", "--set", "initial_conditions.generator=plummer"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.search(r"^integrator = .*\(one of (.*)\)$", text, re.MULTILINE).group(1).split(", ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grove", default="grove")
    parser.add_argument("--output", default="integrators", type=pathlib.Path)
    parser.add_argument("--longest-run", default=30000, type=float, help="force evaluations")
    parser.add_argument("--long-time", default=20.0, type=float)
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "collision.toml").write_text(CONFIGURATION)

    rows = {}
    for name in names_of_integrators(given.grove):
        for k in range(4):
            step = FIRST_STEP / 8**k
            forces = FORCES.get(name, 1 if name.startswith("adams") else 8)
            if END / step * forces > given.longest_run:
                break
            result = run(given.grove, given.output / f"{name}_{k}", f"time.integrator={name}", f"time.dt={step}", f"time.end={END}")
            if result is None:
                continue
            energy, bins = result
            count = evaluations(bins).sum() if bins is not None else forces * END / step + of_starter(name)
            rows.setdefault(name, []).append((count, *errors(energy)))
            print(f"{name:18} step {step:.2g}: {count:8.0f} force evaluations, errors of energy {rows[name][-1][1]:.1e}, "
                  f"momentum {rows[name][-1][2]:.1e}, angular momentum {rows[name][-1][3]:.1e}", flush=True)
    figure, axes = plt.subplots(1, 3, figsize=(15, 5), sharex=True)
    for k, what in enumerate(("energy, relative", "momentum", "angular momentum")):
        for number, (name, row) in enumerate(rows.items()):
            row = np.array(row)
            colour = plt.get_cmap("tab20")(number)
            axes[k].loglog(row[:, 0], np.maximum(row[:, k + 1], 1e-17), marker="osv^D*"[number % 6], color=colour, label=name)
        axes[k].set_xlabel("force evaluations")
        axes[k].set_title(f"largest error of {what}")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", fontsize=8, ncol=10)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(given.output / "errors.png", dpi=110)

    figure, axis = plt.subplots(figsize=(9, 4))
    for name in PAIRS:
        every = 0.05
        result = run(given.grove, given.output / f"{name}_long", f"time.integrator={name}", "time.error=1e-8", f"time.dt={every}",
                     f"time.end={given.long_time}")
        if result is None:
            continue
        energy, bins = result
        rungs = [column for column in bins.dtype.names if column.endswith("_updates")]
        # Evaluations of a step of each length; the shortest one of a row is that of its finest rung.
        finest = np.array([max((r for r, column in enumerate(rungs) if row[column] > 0), default=0) for row in np.atleast_1d(bins)])
        length = every / 2.0**finest
        axis.semilogy(bins["time"], length, drawstyle="steps-pre", label=name)
        print(f"{name:18} to t = {given.long_time:g}: {evaluations(bins).sum():.0f} force evaluations, largest energy error "
              f"{errors(energy)[0]:.1e}, steps from {length.max():.2g} down to {length.min():.2g}", flush=True)
    axis.set_xlabel("time")
    axis.set_ylabel("shortest step")
    axis.legend()
    figure.tight_layout()
    figure.savefig(given.output / "steps.png", dpi=110)


if __name__ == "__main__":
    sys.exit(main())
