"""docs/commands.md is what the program says of its commands. Usage: command_reference_test.py GROVE ROOT

With GROVE_UPDATE_DOCS set this writes the file instead.
"""
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

START = """# Commands and their options

<!-- Made from the --help of the commands. To update it: GROVE_UPDATE_DOCS=1 ctest -R command_reference_test -->

What `grove COMMAND --help` prints. `--set SECTION.KEY=VALUE` takes each key of [configuration.md](configuration.md).
All generators have the options of `grove ic plummer` except its own keys; their keys are those of
[configuration.md](configuration.md#initial_conditions). [long_runs.md](long_runs.md#exit-codes) lists the exit codes of
all commands.
"""


def help_of(grove, *command):
    return subprocess.run([grove, *command, "--help"], check=True, capture_output=True, text=True).stdout.rstrip()


def commands_in(text, *headings):
    """The names below these headings of a help text."""
    found = []
    for part in text.split("\n\n"):
        heading, *lines = part.splitlines()
        if heading in headings:
            found += [re.match(r"  (\w+)", line).group(1) for line in lines if re.match(r"  \w", line)]
    return found


def reference(grove):
    text = help_of(grove)
    pages = [("grove", text)]
    for command in commands_in(text, "Commands:"):
        text = help_of(grove, command)
        pages.append((f"grove {command}", text))
        inner_ones = commands_in(text, "Files:") + (["plummer", "galaxy"] if command == "ic" else [])
        pages += [(f"grove {command} {inner}", help_of(grove, command, inner)) for inner in inner_ones]
    return START + "".join(f"\n## {name}\n\n```\n{text}\n```\n" for name, text in pages)


def main():
    grove, root = sys.argv[1:]
    page = Path(root) / "docs/commands.md"
    wanted = reference(grove)
    for name in ("run", "ic", "ic join", "ic plummer", "check", "view"):
        if f"\n## grove {name}\n" not in wanted:
            sys.exit(f"the help does not name 'grove {name}'")
    if os.environ.get("GROVE_UPDATE_DOCS"):
        page.write_text(wanted)
    found = page.read_text() if page.exists() else ""
    if found != wanted:
        print(*difflib.unified_diff(found.splitlines(), wanted.splitlines(), "docs/commands.md", "the program", lineterm=""), sep="\n")
        sys.exit("docs/commands.md differs from the program. To update it: GROVE_UPDATE_DOCS=1 ctest -R command_reference_test")


main()
