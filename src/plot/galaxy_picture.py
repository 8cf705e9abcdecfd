"""Draws a galaxy of Grove as one picture, a PNG on standard output.

The program `grove ic galaxy --picture` runs it behind picture_start.py, with the argument DRAWING. This is JSON: what the picture is called, units,
circular velocities, and of each component the model's lines ("wanted") and the particles' points ("drawn").
"""
STYLES = ("-", "--", "-.")  # for more components than colours


def style_of(index):
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": STYLES[index // len(COLOURS) % len(STYLES)]}


def compare(axes, index, component, name, **more):
    """The model's line, and the particles' points with their noise."""
    wanted, drawn = component["wanted"], component["drawn"]
    axes.plot(wanted["radius"], wanted[name], **{**style_of(index), **more})
    axes.errorbar(drawn["radius"], drawn[name], yerr=drawn[name + "_noise"], fmt="o", markersize=5, color=style_of(index)["color"],
                  markerfacecolor="white" if "linestyle" in more else None, elinewidth=1, capsize=2)


def rotation(axes, drawing, components):
    curves = drawing["rotation"]
    for index, _ in components:
        axes.plot(curves["radius"], curves["components"][index], **style_of(index))
    axes.plot(curves["radius"], curves["total"], color="black", linewidth=2, label="total")
    last = min(curves["shown_to"], curves["radius"][-1]) or curves["radius"][-1]
    axes.set_xlim(0, last)
    # A point's velocity has no limit but its softening.
    axes.set_ylim(0, 1.4 * max(v for r, v in zip(curves["radius"], curves["total"]) if r > 0.02 * last))
    axes.set_title("Circular velocity in the plane")
    axes.set_ylabel(f"v_c ({drawing['units']['velocity']})")
    axes.legend(loc="upper right", fontsize=9)


def densities(axes, drawing, components):
    axes.set_title("Density")
    axes.set_yscale("log")
    spheres = [(i, c) for i, c in components if "wanted" in c and not c["is_disc"]]
    discs = [(i, c) for i, c in components if "wanted" in c and c["is_disc"]]
    of_discs = axes.twinx() if spheres and discs else axes
    for panel, group, name in ((axes, spheres, "density"), (of_discs, discs, "discs, dashed: surface density" if spheres else "surface density")):
        for index, component in group:
            compare(panel, index, component, "density", **({"linestyle": "--"} if component["is_disc"] else {}))
        if group:
            panel.set_yscale("log")
            panel.set_ylabel(f"{name} ({with_powers(drawing['units']['surface_density' if group is discs else 'density'])})", fontsize=10)
    if of_discs is not axes:
        of_discs.grid(False)


def dispersions(axes, drawing, components):
    for index, component in components:
        if "wanted" in component:
            compare(axes, index, component, "radial")
    axes.set_ylim(bottom=0)
    axes.set_title("Radial dispersion")
    axes.set_ylabel(f"sigma ({drawing['units']['velocity']})")


def discs(axes, drawing, components):
    axes.set_title("Toomre's Q and height of discs")
    found = [(i, c) for i, c in components if c["is_disc"]]
    if not found:
        axes.text(0.5, 0.5, "no disc", transform=axes.transAxes, ha="center", va="center")
        axes.set_axis_off()
        return
    heights = axes.twinx()
    for index, component in found:
        compare(axes, index, component, "q")
        compare(heights, index, component, "height", linestyle="--")
    heights.set_ylim(0, 2 * max(h for _, c in found for h in c["drawn"]["height"]))
    heights.set_ylabel(f"mean |z| (dashed; {drawing['units']['length']})")
    heights.grid(False)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.axhline(1, color=GREY, linewidth=1)
    axes.set_ylim(0.5, 2 * max(q for _, c in found for q in c["drawn"]["q"]))
    axes.set_ylabel("Q (below 1: unstable)")


def main(text):
    drawing = json.loads(text)
    components = list(enumerate(drawing["components"]))
    pyplot.rcParams.update({"font.size": 11, "axes.titlesize": 12, "axes.grid": True, "grid.color": "#dddddd", "axes.axisbelow": True,
                            "lines.linewidth": 1.4})
    figure, panels = pyplot.subplots(2, 2, figsize=(13, 10))
    for axes, draw in zip(panels.flat, (rotation, densities, dispersions, discs)):
        if draw is not rotation:
            axes.set_xscale("log")
        draw(axes, drawing, components)
        axes.set_xlabel(f"{'R' if draw in (rotation, discs) else 'r, of discs R'} ({drawing['units']['length']})")
    handles = [Line2D([], [], label=label(component["name"]), **style_of(index)) for index, component in components]
    handles += [Line2D([], [], color=GREY, label="model"), Line2D([], [], color=GREY, marker="o", linestyle="", label="particles, 4 sigma")]
    figure.legend(handles=handles, loc="lower center", ncol=min(len(handles), 8), fontsize=11)
    figure.tight_layout(rect=(0, 0.05, 1, 0.98), w_pad=2, h_pad=2)
    write_png(figure, f"{plain(drawing['title'])}, {drawing['particles']:,} particles", "grove ic galaxy", 100)


main(sys.argv[1])
