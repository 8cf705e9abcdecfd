"""Runs the code cells of the notebooks in examples/, each in a process of its own, and looks whether pictures come out.

    GROVE_LIBRARY=build/libgrove_c.so PYTHONPATH=python python3 tests/python/notebooks_test.py [--keep DIRECTORY] [NAME]

--keep: where the pictures are left. NAME: one notebook, as merger.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# As Jupyter does: a figure that a cell leaves open is shown, here saved.
AFTER_A_CELL = """
for _number in plt.get_fignums():
    plt.figure(_number).savefig(f"{NAME}_{CELL}_{_number}.png", dpi=100)
plt.close("all")
"""


def code_of(notebook):
    """The code cells as one program. Fails where the notebook is stored with its output."""
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        if cell["outputs"] or cell["execution_count"] is not None:
            sys.exit(f"FAIL {notebook.name} is stored with outputs: clear them")
    parts = ["import matplotlib", "matplotlib.use('Agg')"]
    for number, cell in enumerate(cells):
        parts += ["".join(cell["source"]), AFTER_A_CELL.replace("{NAME}", notebook.stem).replace("{CELL}", str(number))]
    return "\n".join(parts)


def run(notebook, directory):
    """The pictures of a notebook; None where it fails."""
    # Notebooks name files of the repository from their own place.
    place = directory / notebook.stem / "examples"
    place.mkdir(parents=True)
    (place.parent / "tests").symlink_to(ROOT / "tests")
    program = place / f"{notebook.stem}.py"
    program.write_text(code_of(notebook))
    if subprocess.run([sys.executable, "-W", "error::RuntimeWarning", program.name], cwd=place, check=False).returncode != 0:
        return None
    return sorted(place.glob("*.png"))


def main():
    words = sys.argv[1:]
    keep = pathlib.Path(words[words.index("--keep") + 1]) if "--keep" in words else None
    chosen = [word for word in words if word not in ("--keep", str(keep))]
    notebooks = [notebook for notebook in sorted((ROOT / "examples").glob("*.ipynb")) if not chosen or notebook.stem in chosen]
    if not notebooks:
        sys.exit(f"FAIL there is no notebook {' '.join(chosen)} in examples")
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        for notebook in notebooks:
            pictures = run(notebook, pathlib.Path(temporary))
            # A picture with nothing in it is a few kB.
            ok = bool(pictures) and all(picture.stat().st_size > 8000 for picture in pictures)
            print(f"{'ok  ' if ok else 'FAIL'} {notebook.name}: {len(pictures or [])} pictures", flush=True)
            failed = failed or not ok
            for picture in pictures or [] if keep else []:
                keep.mkdir(exist_ok=True)
                os.replace(picture, keep / picture.name) if keep.stat().st_dev == picture.stat().st_dev else (keep / picture.name).write_bytes(picture.read_bytes())
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
