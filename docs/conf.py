# The documents as a site: sphinx-build docs SITE, with sphinx, furo and myst-parser from PyPI. tests/docs tries it.
import re
from pathlib import Path

docs = Path(__file__).resolve().parent
project = "Grove"
release = re.search(r"project\(Grove VERSION ([0-9.]+)", (docs.parent / "CMakeLists.txt").read_text()).group(1)
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"Grove {release}"


def name_what_is_not_on_the_site(app, page, source):
    """Links to other files of the repository become their paths."""
    folder = (docs / page).parent

    def replaced(link):
        target = (folder / link.group(2)).resolve()
        if "://" in link.group(2) or target.is_relative_to(docs):
            return link.group(0)
        path = target.relative_to(docs.parent).as_posix()
        return f"`{path}`" if path in link.group(1) else f"{link.group(1)} (`{path}`)"

    source[0] = re.sub(r"(?<!!)\[([^]]+)\]\(([^)#]+)(?:#[^)]*)?\)", replaced, source[0])


def setup(app):
    app.connect("source-read", name_what_is_not_on_the_site)
