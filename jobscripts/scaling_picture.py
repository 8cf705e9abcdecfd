"""The picture of jobscripts/scaling.sh: scaling_picture.py DIR draws DIR/scaling.csv as DIR/scaling.png. Needs matplotlib.

Efficiency against the number of ranks, for weak and for strong scaling, and the part of a step in which ranks wait for messages and for each
other, beside the model of docs/development/scaling_model.md. A picture that this script has made is replaced, no other file.
"""
import os
import sys

from scaling import fail, read_csv, write_whole

# What is in the picture's file, to know it by.
SIGNS = {"Software": "Grove", "Source": "jobscripts/scaling.sh"}
# Colours of Okabe & Ito 2008, which colour-blind readers can tell apart.
NOTHING_TO_DRAW = 12  # exit code; scaling.sh knows it
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = "osD^vPX"
GREY = "#888888"


def is_own(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        begin = file.read(4096)
    return begin.startswith(b"\x89PNG") and all(b"tEXt%s\0%s" % (key.encode(), text.encode()) in begin for key, text in SIGNS.items())


def matplotlib_modules():
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot, ticker
    except ImportError as error:
        fail("no picture can be drawn (%s): install matplotlib (Debian, Ubuntu: apt-get install python3-matplotlib), or name a Python that has "
             "it in GROVE_PYTHON, and draw it with jobscripts/scaling.sh --draw DIR" % error)
    return pyplot, ticker


def curves(rows, wanted, value):
    """{case: ([ranks], [rows])} of those rows that have the value."""
    cases = {}
    for row in rows:
        if row["scaling"] in wanted and row.get(value) is not None:
            ranks, of_case = cases.setdefault(row["case"], ([], []))
            ranks.append(row["ranks"])
            of_case.append(row)
    return cases


def label(row):
    number = row["case"].split("_")[-1]
    return "%s, %s %s" % (row["model"], number, "a rank" if row["scaling"] == "weak" else "in all")


def efficiency(axes, style, scaling, cases):
    highest = 1.0
    for case, (ranks, rows) in cases.items():
        values = [row["efficiency"] for row in rows]
        # From the slowest to the fastest of the repeats.
        spread = [[row["efficiency"] * (1 - row["step_s"] / row["step_highest_s"]) for row in rows],
                  [row["efficiency"] * (row["step_s"] / row["step_lowest_s"] - 1) for row in rows]]
        axes.errorbar(ranks, values, yerr=spread, label=label(rows[0]), capsize=3, **style[case])
        highest = max([highest] + [value + above for value, above in zip(values, spread[1])])
    axes.axhline(1, color=GREY, linestyle=":")
    reference = next(iter(cases.values()))[1][0]["reference_ranks"]
    axes.set_title("%s scaling: efficiency against %d rank%s" % (scaling.capitalize(), reference, "" if reference == 1 else "s"))
    axes.set_ylim(0, 1.08 * highest)


def communication(axes, style, _, cases):
    has_model = False
    for case, (ranks, rows) in cases.items():
        axes.plot(ranks, [100 * row["communication_s"] / row["step_s"] for row in rows], label=label(rows[0]), **style[case])
        of_model = [(row["ranks"], 100 * row["model_communication_s"] / row["step_s"]) for row in rows if row.get("model_communication_s")]
        if of_model:
            has_model = True
            axes.plot(*zip(*of_model), color=style[case]["color"], linestyle="--", linewidth=1)
    if has_model:
        axes.plot([], [], color=GREY, linestyle="--", linewidth=1, label="model")
    axes.set_title("Waiting for messages and other ranks, % of a step")
    axes.set_ylim(bottom=0)


def draw(directory):
    out = os.path.join(directory, "scaling.png")
    if os.path.lexists(out) and not is_own(out):
        fail("%s is no picture of jobscripts/scaling.sh, and is not replaced: move it away" % out)
    rows = read_csv(os.path.join(directory, "scaling.csv"))
    if not rows or "scaling" not in rows[0]:
        fail("%s/scaling.csv has nothing to draw" % directory)
    panels = [(efficiency, "weak", curves(rows, ("weak",), "efficiency")), (efficiency, "strong", curves(rows, ("strong",), "efficiency")),
              (communication, "", curves([row for row in rows if row["ranks"] > 1], ("weak", "strong"), "communication_s"))]
    panels = [panel for panel in panels if panel[2]]
    if not panels:
        print("%s/scaling.csv has no weak or strong scaling that could be drawn" % directory)
        sys.exit(NOTHING_TO_DRAW)
    pyplot, ticker = matplotlib_modules()
    cases = list(dict.fromkeys(row["case"] for row in rows))
    style = {case: {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]} for i, case in enumerate(cases)}
    pyplot.rcParams.update({"font.size": 11, "axes.titlesize": 11.5, "axes.grid": True, "grid.color": "#dddddd", "axes.axisbelow": True})
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(1 + 5.2 * len(panels), 4.6), squeeze=False, constrained_layout={"w_pad": 0.1, "h_pad": 0.08})
    for axes, (function, scaling, of_panel) in zip(all_axes[0], panels):
        function(axes, style, scaling, of_panel)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted({row["ranks"] for row in rows}))
        axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
        axes.xaxis.set_minor_locator(ticker.NullLocator())
        axes.set_xlabel("ranks")
        axes.legend(fontsize=9)
    done = max((row for row in rows if row["status"] == "done"), key=lambda row: row["ranks"])
    figure.suptitle("%s, %s, %s" % (done["grove"], done["ran_on"], done["date"][:10]), fontsize=12)
    write_whole(out, lambda file: figure.savefig(file, format="png", dpi=110, metadata=SIGNS))


if __name__ == "__main__":
    draw(sys.argv[1])
