"""The common beginning of all scripts that draw pictures. Exit code 3: data cannot be drawn; 4: a package is missing, or does not work. The
last line of standard error then says why.
"""
import sys

# Modules of the current directory are no part of Python.
sys.path[:] = [place for place in sys.path if place not in ("", ".")]


def fail(code, message):
    sys.stderr.write("\n" + message.encode("utf-8", "replace").decode() + "\n")
    sys.exit(code)


try:
    import json
    import os

    import matplotlib
    import numpy

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.lines import Line2D
    from matplotlib.ticker import EngFormatter, MaxNLocator, ScalarFormatter
except Exception as error:
    fail(4, str(error))

# Colours of Okabe & Ito 2008, which colour-blind readers can tell apart.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7")
COLOURS = (BLUE, RED, GREEN, PINK, ORANGE, SKY)
GREY = "#666666"


def plain(text):
    """The text as matplotlib shows it."""
    return text.encode("utf-8", "replace").decode().replace("$", r"\$")


def label(text):
    # One that begins with an underscore would not be in the legend.
    return ("\u200b" if text.startswith("_") else "") + plain(text)


def with_powers(unit):
    return plain(unit).replace("^2", "$^2$").replace("^3", "$^3$").replace("e+", "e")


def write_png(figure, title, source, dpi):
    figure.suptitle(title, fontsize=14)
    figure.savefig(sys.stdout.buffer, format="png", dpi=dpi, metadata={"Software": "Grove", "Source": source})
    sys.stdout.flush()


