"""The tables of jobscripts/scaling.sh, which calls this file. Needs Python 3.6 or newer and nothing else.

  scaling.py add DIR key=value...   a run has ended: its row in DIR/runs.csv, and DIR/scaling.csv anew. Exit code 0, or 10: the run does not
                                    fit into memory, 11: it has failed
  scaling.py show DIR               DIR/scaling.csv for the terminal
  scaling.py nodes N [GBYTES]       what the model expects of N particles on nodes of H200s, with a network of GBYTES GB/s a GPU [50]

docs/scaling.md explains the columns.
"""
import csv
import io
import math
import os
import re
import signal
import statistics
import sys

DOES_NOT_FIT, FAILED = 10, 11
TEXTS = ("case", "scaling", "model", "status", "message", "directory", "date", "host", "grove", "ran_on", "messages", "settings")
# Texts in which there can be commas are the last columns.
LAST = ("host", "grove", "ran_on", "messages", "settings", "directory", "message")
# Numbers that repeats are combined of, each by its median; the phases come on top.
MEASURED = ("step_s", "particles_per_s", "imbalance_median", "imbalance_95", "imbalance_max", "bytes_per_particle", "communication_s",
            "essential_trees_s")
# What a rank waits for: messages, and other ranks.
EXPOSED = ("exchange", "tree_exchange", "waiting")

# The model of docs/development/scaling_model.md, "Imports and waits". For numbers of ranks: imported particles over own ones^(2/3), and near ranks.
IMPORTS = ((1, 0.0), (2, 7.6), (8, 12.5), (64, 14.6), (512, 17.1))
NEAR_RANKS = ((1, 0.0), (2, 1.0), (8, 7.0), (64, 49.0), (512, 93.0))
BYTES_AN_IMPORT, BYTES_OF_BOXES, MESSAGE_S, COLLECTIVES, EXCHANGE_S = 170.0, 24e3, 10e-6, 5, 6e-9
BETWEEN_GPUS = 390e9

# docs/performance.md: particles on one H200, and seconds of a whole step there, from 16777216 on with tolerance 2.6e-3.
STEPS_OF_ONE = ((16384, 0.223e-3), (98304, 0.346e-3), (262144, 0.530e-3), (1048576, 1.25e-3), (16777216, 13.5e-3), (67108864, 52.4e-3))


def fail(message):
    sys.exit("scaling.py: " + message)


def write_whole(path, write):
    """`write` fills a file that then takes the place of `path`: whoever reads it sees all of it or none."""
    partial = "%s.%d.partial" % (path, os.getpid())
    is_own = False
    try:
        with open(partial, "xb") as file:
            is_own = True
            write(file)
        os.replace(partial, path)
    except OSError as error:
        fail("%s cannot be written: %s" % (path, error.strerror))
    finally:
        if is_own and os.path.exists(partial):
            os.remove(partial)


def write_csv(path, rows):
    columns = []
    for row in rows:  # the phases of one rank are fewer than those of several
        columns += [name for name in row if name not in columns and name not in LAST]
    columns += [name for name in LAST if any(name in row for row in rows)]
    lines = [columns] + [["" if row.get(name) is None else row[name] for name in columns] for row in rows]

    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([["%.12g" % value if isinstance(value, float) else value for value in line] for line in lines])
    write_whole(path, lambda file: file.write(text.getvalue().encode("utf-8")))


def read_csv(path):
    """Rows as dictionaries from column to text or number; None where there is nothing."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return [values_in(row) for row in csv.DictReader(file)]
    except (OSError, UnicodeDecodeError) as error:
        fail("%s cannot be read: %s" % (path, getattr(error, "strerror", None) or error))


def values_in(row):
    return {name: text or None if name in TEXTS else number_in(text) for name, text in row.items()}


def number_in(text):
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            pass
    return None


def quantile(values, part):
    """The smallest value that so many of them do not exceed."""
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]


# One run.


def first_match(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1) if found else None


def what_was_said(log):
    """Columns from what the run printed: on what it ran, and the memory it took."""
    memory = first_match(r"^memory .*, ([0-9.]+) bytes a particle", log)
    return {"grove": first_match(r"^(Grove [0-9].*)$", log), "ran_on": first_match(r"^([0-9]+ ranks? on .*)$", log),
            "messages": first_match(r"^messages travel (.*)$", log), "bytes_per_particle": float(memory) if memory else None}


def what_was_timed(path, skip, particles):
    """Columns from timings.csv, without its first steps."""
    steps = [row for row in read_csv(path) if isinstance(row["step"], int) and row["step"] > skip and row.get("particles_per_s") is not None]
    if not steps:
        fail("%s has no steps after the first %d" % (path, skip))
    column = {name: [row[name] for row in steps] for name in steps[0]}
    imbalance = column["imbalance"]
    # Means: some steps have a new tree, and most reuse that of the step before.
    step_s = statistics.fmean(column["total_s"])
    row = {"step_s": step_s, "particles_per_s": particles / step_s, "imbalance_median": statistics.median(imbalance),
           "imbalance_95": quantile(imbalance, 0.95), "imbalance_max": max(imbalance),
           "communication_s": statistics.fmean([sum(step.get(phase + "_mean_s", 0.0) for phase in EXPOSED) for step in steps]),
           "essential_trees_s": statistics.fmean(column.get("essential_trees_mean_s", [0.0]))}
    row.update({name: statistics.fmean(column[name]) for name in column if name.endswith(("_mean_s", "_max_s"))})
    return row


def outcome(exit_code, time_limit, log):
    """Whether a run has succeeded, and if not, what it said."""
    if exit_code == 0:
        return "done", None
    said = first_match(r"^grove: error: (.*)$", log) or first_match(r"^grove: (.*)$", log)
    if exit_code in (124, 137) and not said:
        said = "took longer than %d s" % time_limit if exit_code == 124 else "was killed"
    lines = [line for line in log.splitlines()[1:] if re.search("[a-z]", line)]
    said = said or (lines[-1].strip() if lines else "it said nothing")
    fits = not re.search(r"particles do not fit|is out of (page-locked )?memory", said)
    return ("failed", "exit code %d: %s" % (exit_code, said)) if fits else ("does not fit", said)


def row_of_run(facts):
    with open(os.path.join(facts["directory"], "log.txt"), encoding="utf-8", errors="replace") as file:
        log = file.read()
    row = {name: facts[name] for name in ("case", "scaling", "model", "ranks", "particles", "repeat")}
    row["status"], row["message"] = outcome(facts["exit_code"], facts["time_limit"], log)
    row.update({name: facts[name] for name in ("directory", "exit_code", "skip", "date", "host", "threads", "reference_ranks", "settings")})
    row.update(what_was_said(log))
    if row["status"] == "done":
        row.update(what_was_timed(os.path.join(facts["directory"], "timings.csv"), facts["skip"], facts["particles"]))
    return row


# All repeats of a case on a number of ranks.


def interpolated(table, ranks):
    """Between the numbers of ranks of a table, linear in their logarithm; beyond the last one, as there."""
    for (low, at_low), (high, at_high) in zip(table, table[1:]):
        if ranks <= high:
            return at_low + (at_high - at_low) * math.log(ranks / low) / math.log(high / low)
    return table[-1][1]


def model(particles, ranks, messages):
    """What the model expects: seconds of exposed communication, and of the selection of trees. Nothing for ranks on CPUs."""
    # The slowest first: several ways stand in one text.
    rates = (("pinned host memory", 5e9), ("host memory that ranks share", 30e9), ("through MPI from GPU to GPU", 50e9), ("directly", BETWEEN_GPUS))
    rate = next((bytes_a_second for words, bytes_a_second in rates if words in (messages or "")), None)
    if ranks < 2 or rate is None:
        return {}
    return parts_of_step(particles, ranks, rate)


def parts_of_step(particles, ranks, rate):
    """The parts of the model that more ranks add, for messages of `rate` bytes a second."""
    surface = (particles / ranks) ** (2 / 3)
    imported = BYTES_AN_IMPORT * interpolated(IMPORTS, ranks) * surface
    boxes = interpolated(NEAR_RANKS, ranks) * (BYTES_OF_BOXES / rate + MESSAGE_S)
    collectives = COLLECTIVES * MESSAGE_S * (1 + math.log2(ranks))
    exchange = EXCHANGE_S * surface * math.log2(ranks)
    return {"model_communication_s": imported / rate + boxes + collectives + exchange, "model_essential_trees_s": 0.35e-3 + 6e-12 * imported}


def row_of_runs(runs):
    """Medians over the repeats, or, where one has failed, why."""
    first = runs[0]
    bad = next((run for run in runs if run["status"] != "done"), None)
    row = {name: first[name] for name in ("case", "scaling", "model", "ranks", "particles")}
    row["particles_per_rank"] = float(first["particles"]) / first["ranks"]
    row.update({"status": bad["status"] if bad else "done", "message": bad["message"] if bad else None, "repeats": 0 if bad else len(runs)})
    row.update({name: None for name in ("step_s", "step_lowest_s", "step_highest_s", "particles_per_s", "reference_ranks", "efficiency")})
    numbers = [name for name in first if name in MEASURED or name.endswith(("_mean_s", "_max_s"))]
    for name in [] if bad else numbers:
        values = [run[name] for run in runs if run.get(name) is not None]
        row[name] = float(statistics.median(values)) if values else None
    if not bad:
        row["step_lowest_s"], row["step_highest_s"] = min(run["step_s"] for run in runs), max(run["step_s"] for run in runs)
        row.update(model(first["particles"], first["ranks"], first.get("messages")))
    row.update({name: first.get(name) for name in ("date", "grove", "ran_on", "messages", "host", "threads", "settings")})
    return row


def add_efficiencies(rows, reference_ranks):
    """Against the same case on the fewest ranks that were asked for; nothing where that one has not been done."""
    for row in rows:
        reference = next((other for other in rows if other["case"] == row["case"] and other["ranks"] == reference_ranks), None)
        if row["scaling"] not in ("weak", "strong") or not (reference and reference.get("step_s") and row.get("step_s")):
            continue
        more_ranks = row["ranks"] / reference_ranks if row["scaling"] == "strong" else 1
        row["reference_ranks"], row["efficiency"] = reference_ranks, reference["step_s"] / (more_ranks * row["step_s"])


def add(directory, *pairs):
    # Ctrl-C reaches this process, too, and its tables are to be whole.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run = row_of_run(values_in(dict(pair.split("=", 1) for pair in pairs)))
    path = os.path.join(directory, "runs.csv")
    runs = (read_csv(path) if os.path.exists(path) else []) + [run]
    write_csv(path, runs)
    groups = {}
    for one in runs:
        groups.setdefault((one["case"], one["ranks"]), []).append(one)
    rows = [row_of_runs(group) for group in groups.values()]
    add_efficiencies(rows, run["reference_ranks"])
    cases = [row["case"] for row in rows]
    rows.sort(key=lambda row: (cases.index(row["case"]), row["ranks"]))
    write_csv(os.path.join(directory, "scaling.csv"), rows)
    what = "%s on %d rank%s, repeat %d" % (run["case"], run["ranks"], "" if run["ranks"] == 1 else "s", run["repeat"])
    if run["status"] != "done":
        print("%s: %s: %s (%s)" % (what, run["status"], run["message"], os.path.join(run["directory"], "log.txt")), flush=True)
        return DOES_NOT_FIT if run["status"] == "does not fit" else FAILED
    print("%s: %.4g ms a step, %.4g M particles/s" % (what, 1e3 * run["step_s"], run["particles_per_s"] / 1e6), flush=True)
    return 0


# The table for the terminal.


def show(directory):
    rows = [("case", "ranks", "step ms", "M particles/s", "efficiency", "walk max/mean", "waits ms", "model ms", "bytes a particle")]
    for row in read_csv(os.path.join(directory, "scaling.csv")):
        def text(name, form, factor=1.0):
            return "" if row.get(name) is None else form % (factor * row[name])

        if row["status"] != "done":
            rows.append((row["case"], str(row["ranks"]), row["status"]) + ("",) * 6)
            continue
        rows.append((row["case"], str(row["ranks"]), text("step_s", "%.4g", 1e3), text("particles_per_s", "%.4g", 1e-6),
                     text("efficiency", "%.3f"), text("imbalance_median", "%.3f"), text("communication_s", "%.3g", 1e3),
                     text("model_communication_s", "%.3g", 1e3), text("bytes_per_particle", "%.0f")))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print(("  ".join([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])).rstrip())
    return 0


# What the model expects of several nodes.


def step_of_one(particles):
    """Seconds of a step of one H200: between measured numbers of particles a power of them, beyond the last one as there for each particle."""
    (least, least_s), (most, most_s) = STEPS_OF_ONE[0], STEPS_OF_ONE[-1]
    if particles >= most:
        return most_s * particles / most
    if particles <= least:
        return least_s
    logarithms = [(number, math.log(step_s)) for number, step_s in STEPS_OF_ONE]
    return math.exp(interpolated(logarithms, particles))


def nodes(particles, network="50"):
    try:
        particles, rate = float(particles), 1e9 * float(network)
    except ValueError:
        fail("nodes PARTICLES [GB/s OF THE NETWORK]: both are numbers, not %s and %s" % (particles, network))
    alone_s = step_of_one(particles)
    print("%.3g particles on one GPU: %.3g ms a step" % (particles, 1e3 * alone_s))
    print("GPUs a node  nodes  step ms  times as fast as one GPU  efficiency")
    for gpus in (1, 4):
        for count in (1, 2, 4, 8, 16, 32, 64):
            ranks = gpus * count
            parts = parts_of_step(particles, ranks, rate if count > 1 else BETWEEN_GPUS) if ranks > 1 else {}
            step_s = step_of_one(particles / ranks) + sum(parts.values())
            print("%11d  %5d  %7.3g  %24.3g  %10.2g" % (gpus, count, 1e3 * step_s, alone_s / step_s, alone_s / step_s / ranks))
    return 0


if __name__ == "__main__":
    sys.exit({"add": add, "show": show, "nodes": nodes}[sys.argv[1]](*sys.argv[2:]))
