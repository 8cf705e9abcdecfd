"""Draws profiles of snapshots of Grove as one picture, a PNG on standard output.

The program `grove profile --picture` runs it behind picture_start.py, with a call of main() after it. The argument of main() is JSON: the names of
units, the unit of time, and the JSON of `grove profile`, in which snapshots between the first and the last have no profiles.
"""
# Shells and rings with fewer particles have no point: their numbers are noise.
FEWEST = 10
# Of a disc without a bar.
NOISE = {"color": GREY, "linewidth": 1, "linestyle": ":", "label": "$A_2$ of noise"}


def numbers(values):
    """JSON has null for what is not known, which is a gap in a line."""
    return [float("nan") if v is None else v for v in values]


def known(values):
    return [v for v in values if v == v]


class Picture:
    def __init__(self, drawing):
        self.units, self.time_unit, profiles = drawing["units"], drawing["time_unit"], drawing["profiles"]
        self.disc, self.snapshots = profiles["disc"], profiles["snapshots"]
        first, last = self.snapshots[0], self.snapshots[-1]
        self.shown = [(last, "-")] if first is last else [(first, "--"), (last, "-")]
        # In the order in which they first appear. One component is the same as all particles.
        types = {group["name"]: group["type"] for snapshot in self.snapshots for group in snapshot["groups"]}
        only = self.disc or "all"
        names = [name for name in types if len(types) > 2 or name == only]
        self.colours = {name: "black" if types[name] == -1 else COLOURS[index % len(COLOURS)] for index, name in enumerate(names, -1)}

    def groups(self):
        """Each group of the snapshots that are shown, with its line."""
        for snapshot, style in self.shown:
            for group in snapshot["groups"]:
                if group["name"] in self.colours:
                    yield group, {"color": self.colours[group["name"]], "linestyle": style}

    def lines(self, axes, column, wanted=lambda name: True, fewest=FEWEST):
        for group, style in self.groups():
            profile = group["profile"]
            if profile.get(column) and wanted(group["name"]):
                values = numbers([v if n >= fewest else None for v, n in zip(profile[column], profile["particles"])])
                if known(values):
                    axes.plot(numbers(profile["radius"]), values, **style)

    def time_of(self, snapshot):
        return float("nan") if snapshot["time"] is None else snapshot["time"] * self.time_unit

    def time_label(self):
        return "t" + (f" ({self.units['time']})" if self.units["time"] else "")

    def velocity(self, axes):
        if self.disc is None:
            axes.set_title("Circular velocity")
            axes.set_ylabel(f"$v_c$ ({self.units['velocity']})")
            self.lines(axes, "circular_velocity", fewest=0)  # of the mass inside
            axes.set_ylim(bottom=0)
        else:
            axes.set_title("Rotation")
            axes.set_ylabel(rf"mean $v_\phi$ ({self.units['velocity']})")
            self.lines(axes, "mean_v_phi", lambda name: (name == "all") == (self.disc == "all"))

    def density(self, axes):
        surface = self.disc is not None
        axes.set_title("Surface density" if surface else "Density")
        axes.set_ylabel(with_powers(self.units["surface_density" if surface else "density"]))
        axes.set_yscale("log")
        self.lines(axes, "surface_density" if surface else "density")

    def radial_dispersion(self, axes):
        axes.set_title("Radial velocity dispersion")
        axes.set_ylabel(rf"$\sigma_{'r' if self.disc is None else 'R'}$ ({self.units['velocity']})")
        self.lines(axes, "sigma_radial")
        axes.set_ylim(bottom=0)

    def vertical_dispersion(self, axes):
        axes.set_title("Vertical velocity dispersion")
        axes.set_ylabel(rf"$\sigma_z$ ({self.units['velocity']})")
        self.lines(axes, "sigma_z")
        axes.set_ylim(bottom=0)

    def height(self, axes):
        axes.set_title(f"Height of {plain(self.disc)}")
        axes.set_ylabel(f"rms of z ({self.units['length']})")
        self.lines(axes, "scale_height", lambda name: name == self.disc)
        axes.set_ylim(bottom=0)

    def mass_or_bar(self, axes):
        """Returns whether it is over time."""
        is_series = len(self.snapshots) > 1 and len(known([self.time_of(s) for s in self.snapshots])) > 1
        if self.disc is None:
            (self.radii if is_series else self.enclosed_mass)(axes)
        elif is_series:
            self.bar(axes)
        else:
            axes.set_title(f"Bar of {plain(self.disc)}: strength in rings")
            axes.set_ylabel("$A_2$")
            self.lines(axes, "a2", lambda name: name == self.disc)
            profile = next(group["profile"] for group in self.snapshots[-1]["groups"] if group["name"] == self.disc)
            noise = [n**-0.5 if n >= FEWEST else None for n in profile["particles"]]
            axes.plot(numbers(profile["radius"]), numbers(noise), **NOISE)
            axes.set_ylim(bottom=0)
            axes.legend(fontsize=9)
        return is_series

    def panels(self):
        """Rows of functions that draw."""
        if self.disc is None:
            return (self.velocity, self.density), (self.radial_dispersion, self.mass_or_bar)
        return (self.velocity, self.density, self.mass_or_bar), (self.radial_dispersion, self.vertical_dispersion, self.height)

    def enclosed_mass(self, axes):
        axes.set_title("Mass inside")
        axes.set_ylabel("share of the mass")
        for group, style in self.groups():
            if group["profile"].get("enclosed_mass") and group["mass"] > 0:
                axes.plot(numbers(group["profile"]["radius_outer"]), [m / group["mass"] for m in numbers(group["profile"]["enclosed_mass"])], **style)
        axes.set_ylim(0, 1.02)

    def radii(self, axes):
        axes.set_title("Radii of shares of the mass")
        axes.set_ylabel(f"r ({self.units['length']})")
        axes.set_yscale("log")
        for name, colour in self.colours.items():
            found = [(s, g) for s in self.snapshots for g in s["groups"] if g["name"] == name]
            if found[-1][1]["particles"] < FEWEST:
                continue
            for k, share in enumerate(found[-1][1]["lagrangian"]):
                having = [(self.time_of(s), g["lagrangian"][k]["radius"]) for s, g in found if len(g["lagrangian"]) > k]
                axes.plot(*zip(*[numbers(point) for point in having]), color=colour, linewidth=0.8 + share["fraction"])

    def bar(self, axes):
        axes.set_title(f"Bar of {plain(self.disc)}")
        axes.set_ylabel("$A_2$")
        found = [(self.time_of(s), g["bar"]) for s in self.snapshots for g in s["groups"] if g["name"] == self.disc and g.get("bar")]
        times = [t for t, _ in found]
        axes.plot(times, numbers([b["a2"] for _, b in found]), color="black", marker=".")
        axes.plot(times, numbers([b["noise"] for _, b in found]), **NOISE)
        axes.set_ylim(bottom=0)
        speeds = numbers([b["pattern_speed"] for _, b in found])
        if known(speeds):
            right = axes.twinx()
            right.plot(times, speeds, color=COLOURS[1], linestyle="", marker="o", markersize=4)
            right.set_ylim(min([0] + [1.2 * s for s in known(speeds)]), max([0] + [1.2 * s for s in known(speeds)]))
            unit = f"{self.units['velocity']} / {self.units['length']}" if self.units["time"] else "N-body units"
            right.set_ylabel(f"pattern speed (points; {unit})", color=COLOURS[1])
            right.grid(False)
        axes.legend(loc="upper left", fontsize=9)

    def title(self):
        first, last = self.snapshots[0], self.snapshots[-1]
        if first is last:
            time = self.time_of(last)
            return plain(os.path.basename(last["file"])) + (f", t = {time:.4g} {self.units['time']}".rstrip() if time == time else "")
        return f"{plain(os.path.basename(first['file']))} (dashed) to {plain(os.path.basename(last['file']))}"


def main(text):
    picture = Picture(json.loads(text))
    pyplot.rcParams.update({"font.size": 11, "axes.titlesize": 12, "axes.grid": True, "grid.color": "#dddddd", "axes.axisbelow": True,
                            "lines.linewidth": 1.4})
    rows = picture.panels()
    figure, panels = pyplot.subplots(2, len(rows[0]), figsize=(6.5 * len(rows[0]), 10))
    for axes, draw in zip(panels.flat, (draw for row in rows for draw in row)):
        if draw(axes):
            axes.set_xlabel(picture.time_label())
            continue
        axes.set_xlabel(f"{'r' if picture.disc is None else 'R'} ({picture.units['length']})")
        if picture.disc is None:
            axes.set_xscale("log")
    handles = [Line2D([], [], label=label(name), color=colour) for name, colour in picture.colours.items()]
    figure.legend(handles=handles, loc="lower center", ncol=min(len(handles), 8), fontsize=11)
    figure.tight_layout(rect=(0, 0.05, 1, 0.97), w_pad=2, h_pad=2)
    write_png(figure, picture.title(), "grove profile", 100)
