"""Draws the logs of a run of Grove as one picture, a PNG on standard output.

The program `grove plot` runs it behind picture_start.py, with the arguments TITLE UNITS ENERGY TIMINGS TIME_BINS: the title of the picture, units as
JSON, and the files energy.csv, timings.csv and time_bins.csv, of which two may be empty. UNITS has the name of the unit in which each of time, length,
energy, momentum and angular_momentum is drawn, and by what numbers of the logs are multiplied for it.
"""
import itertools

AXES = (("x", BLUE, "-"), ("y", RED, "--"), ("z", GREEN, ":"))
LIGHT_GREY = "#bbbbbb"
MOST_PIECES = 1000  # of the time axis


def read(path):
    """The whole rows of a log as {column: numbers}."""
    with open(path, "rb") as file:
        names = file.readline().decode("ascii", "replace").strip().split(",")
        rows = sum(line.endswith(b"\n") for line in file)  # a run may be writing the last line
    if not rows:
        fail(3, f"{path}: has no rows yet")
    try:
        table = numpy.loadtxt(path, delimiter=",", skiprows=1, max_rows=rows, ndmin=2, comments=None)
    except ValueError as error:
        fail(3, f"{path}: {mistake_in(path, len(names)) or error}")
    if table.shape != (rows, len(names)):
        fail(3, f"{path}: {mistake_in(path, len(names)) or 'has empty rows'}")
    for i, name in enumerate(names):
        bad = numpy.flatnonzero(~numpy.isfinite(table[:, i]))
        if bad.size:
            fail(3, f"{path}: row {bad[0] + 1}, column {name}: {table[bad[0], i]} cannot be drawn")
    return {name: table[:, i] for i, name in enumerate(names)}


def mistake_in(path, columns):
    """The first row that does not have a number a column, in words."""
    with open(path, encoding="ascii", errors="replace") as file:
        for row, text in enumerate(itertools.islice(file, 1, None), 1):
            numbers = text.strip().split(",")
            if len(numbers) != columns:
                return f"row {row} has {len(numbers)} numbers for {columns} columns"
            for number in numbers:
                try:
                    float(number)
                except ValueError:
                    return f"row {row}: '{number}' is no number"
    return ""


def piece_size(values):
    return max(1, len(values) // MOST_PIECES)


def mean_of_pieces(values, size):
    first = numpy.arange(0, len(values), size)
    return numpy.add.reduceat(values, first) / numpy.diff(numpy.append(first, len(values)))


def line(axes, x, y, label=None, **style):
    """A curve. Of many points, each piece of the axis shows the mean and, as a band, the extremes."""
    size = piece_size(y)
    if size < 3:
        axes.plot(x, y, label=label, marker="o" if len(x) == 1 else None, **style)
        return
    first = numpy.arange(0, len(y), size)
    low, high = numpy.minimum.reduceat(y, first), numpy.maximum.reduceat(y, first)
    axes.fill_between(x[first], low, high, color=style["color"], alpha=0.35, linewidth=0.8)
    axes.plot(x[first], mean_of_pieces(y, size), label=label, **style)


def linear(axes):
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useMathText=True)


def energies(axes, log, time):
    line(axes, time, log["kinetic"], "kinetic", color=RED, linestyle="--")
    line(axes, time, log["potential"], "potential", color=BLUE, linestyle="-.")
    if "external" in log:
        line(axes, time, log["external"], "external", color=GREEN, linestyle=":")
    line(axes, time, log["total"], "total", color=BLACK)
    axes.set_title("Energy")
    linear(axes)


def energy_error(axes, log, time):
    axes.set_title("Energy error |E − E₀| / |E₀|, and over the own energy")
    is_empty = True
    for column, label, colour, style in [("relative_energy_error", "of the total", BLACK, "-"),
                                         ("own_energy_error", "of the system itself", BLUE, ":")]:
        error = numpy.abs(log[column]) if column in log else numpy.zeros(0)
        if error.any():
            is_empty = False
            line(axes, time[error > 0], error[error > 0], label, color=colour, linestyle=style)
    if is_empty:
        axes.text(0.5, 0.5, "0 in every row", transform=axes.transAxes, ha="center", va="center")
        return
    axes.set_yscale("log")


def virial_ratio(axes, log, time):
    axes.axhline(1, color=LIGHT_GREY, linestyle="--")
    line(axes, time, log["virial_ratio"], color=BLACK)
    axes.set_title("Virial ratio (1 in equilibrium)")
    axes.ticklabel_format(axis="y", useOffset=False)


def drift(title, stem):
    """A panel of how far a vector has moved from its first value."""

    def panel(axes, log, time):
        for name, colour, style in AXES:
            values = log[f"{stem}_{name}"]
            line(axes, time, values - values[0], name, color=colour, linestyle=style)
        axes.set_title(title)
        linear(axes)

    return panel


def phases(axes, log, time):
    means = {name[: -len("_mean_s")].replace("_", " "): values for name, values in log.items() if name.endswith("_mean_s")}
    # The largest have colours of their own.
    by_size = sorted(means, key=lambda name: -means[name].sum())
    shown = [name for name in by_size[:7] if name != "other" and means[name].any()]
    layers = [means[name] for name in shown]
    rest = numpy.maximum(log["total_s"] - sum(layers), 0)
    layers.append(rest)
    colours = (BLUE, ORANGE, GREEN, PINK, SKY, YELLOW, RED)[: len(shown)] + (LIGHT_GREY,)
    size = piece_size(time)
    if len(time) == 1:
        bottom = 0.0
        for layer, name, colour in zip(layers, shown + ["rest"], colours):
            axes.bar(time, layer, bottom=bottom, width=0.5, color=colour, label=name)
            bottom += layer[0]
        axes.set_xlim(time[0] - 1, time[0] + 1)
    else:
        axes.stackplot(time[::size], [mean_of_pieces(layer, size) for layer in layers], labels=shown + ["rest"], colors=colours, linewidth=0)
    axes.set_title("Wall time of a step by phase, mean over ranks")
    axes.yaxis.set_major_formatter(EngFormatter(unit="s"))
    leave_room(axes, mean_of_pieces(log["total_s"], size))


def leave_room(axes, values, unit="s"):
    """Room for a legend above the values. What is far above nearly all of them, as the start of a run is, is omitted, and named."""
    usual, highest = numpy.quantile(values, 0.98), values.max()
    is_cut = highest > 3 * usual > 0
    axes.set_ylim(0, 1.5 * (usual if is_cut else highest) or 1)
    if is_cut:
        axes.text(0.02, 0.97, f"highest: {highest:.3g} {unit}", transform=axes.transAxes, va="top", fontsize=9)


def imbalance(axes, log, time):
    line(axes, time, log["imbalance"], color=BLACK)
    axes.set_title("Imbalance of walks: busiest rank / mean")
    axes.set_ylim(0.98, max(1.05, 1.02 * log["imbalance"].max()))


def speed(axes, log, time):
    line(axes, time, log["particles_per_s"], color=BLACK)
    axes.set_title("Speed (particles / s)")
    axes.set_ylim(0, 1.08 * max(log["particles_per_s"].max(), 1))
    axes.yaxis.set_major_formatter(EngFormatter())


def rungs(title, column, unit=None):
    """A panel of what each rung has, one on top of the other."""

    def panel(axes, log, time):
        names = [name[: -len("_particles")] for name in log if name.endswith("_particles")]
        shown = [name for name in names if log[f"{name}_particles"].any() or log[f"{name}_updates"].any()]
        if not shown:
            axes.text(0.5, 0.5, "0 in every row", transform=axes.transAxes, ha="center", va="center")
            return
        colours = pyplot.get_cmap("viridis")(numpy.linspace(0, 1, len(shown)))
        size = piece_size(time)
        layers = [mean_of_pieces(log[f"{name}_{column}"], size) for name in shown]
        labels = [name.replace("rung_", "") for name in shown]
        axes.stackplot(time[::size], layers, labels=labels, colors=colours, linewidth=0, step="pre" if len(time) > 1 else None)
        axes.set_title(title)
        axes.yaxis.set_major_formatter(EngFormatter(unit=unit or ""))
        leave_room(axes, sum(layers), unit or "")

    return panel


ENERGY_PANELS = [energies, energy_error, virial_ratio, drift("Change of momentum", "momentum"),
                 drift("Change of angular momentum", "angular_momentum"), drift("Drift of the centre of mass", "centre_of_mass")]
# The quantities that columns of energy.csv are; others have no unit.
QUANTITIES = {"energy": ("kinetic", "potential", "external", "total"), "momentum": ("momentum_x", "momentum_y", "momentum_z"),
              "angular_momentum": ("angular_momentum_x", "angular_momentum_y", "angular_momentum_z"),
              "length": ("centre_of_mass_x", "centre_of_mass_y", "centre_of_mass_z")}
PANEL_UNITS = dict(zip(ENERGY_PANELS, ("energy", None, None, "momentum", "angular_momentum", "length")))
TIMING_PANELS = [phases, imbalance, speed]
RUNG_PANELS = [rungs("Particles on each rung", "particles"), rungs("Forces of a base step by rung", "updates"),
               rungs("Wall time of a base step by rung", "s", "s")]


def in_units(log, units):
    """The log with its numbers in the units that are drawn."""
    for quantity, columns in QUANTITIES.items():
        for column in columns:
            if column in log:
                log[column] = log[column] * units[quantity]["per_code_unit"]
    return log


def in_brackets(unit):
    return " (" + unit["name"].replace("^2", "²") + ")"


def main(title, units, energy, timings, time_bins):
    units = json.loads(units)
    panels = []
    for path, functions in ((energy, ENERGY_PANELS), (timings, TIMING_PANELS), (time_bins, RUNG_PANELS)):
        if path:
            log = in_units(read(path), units)
            panels += [(function, log, log["time"] * units["time"]["per_code_unit"]) for function in functions]
    pyplot.rcParams.update({"font.size": 11, "axes.titlesize": 11.5, "axes.titlepad": 10, "axes.grid": True, "grid.color": "#dddddd", "axes.axisbelow": True,
                            "lines.linewidth": 1.4, "figure.constrained_layout.w_pad": 0.1, "figure.constrained_layout.h_pad": 0.1,
                            "agg.path.chunksize": 10000})
    rows = len(panels) // 3
    figure, all_axes = pyplot.subplots(rows, 3, figsize=(16, 0.9 + 3.7 * rows), squeeze=False, constrained_layout=True)
    for axes, (draw, log, time) in zip(all_axes.flat, panels):
        draw(axes, log, time)
        if PANEL_UNITS.get(draw):
            axes.set_title(axes.get_title() + in_brackets(units[PANEL_UNITS[draw]]))
        axes.set_xlabel("time" + in_brackets(units["time"]))
        axes.xaxis.set_major_locator(MaxNLocator(6))
        if len(time) > 1 and time[-1] > time[0]:
            axes.set_xlim(time[0], time[-1])
        handles = axes.get_legend_handles_labels()[0]
        if handles:
            axes.legend(fontsize=9, framealpha=0.85, **({"ncol": 3, "loc": "upper right"} if len(handles) > 4 else {"loc": "best"}))
    write_png(figure, plain(title), "grove plot", 110)


main(*sys.argv[1:])
