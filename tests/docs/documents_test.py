"""The documents: links lead somewhere, and lines are short. Usage: documents_test.py ROOT"""
import re
import sys
import unittest
from pathlib import Path

root = Path(sys.argv.pop()).resolve()
pages = sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("python/**/*.md")])
longest_line = 120


def prose(page):
    """(number, line) of the lines outside blocks of code."""
    is_code = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield number, line


def anchors(page):
    """Those of headings, as GitHub makes them."""
    found = set()
    for _, line in prose(page):
        if heading := re.match(r"#+ (.*)", line):
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            name = again = re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")
            count = 0
            while again in found:
                count += 1
                again = f"{name}-{count}"
            found.add(again)
    return found


class Documents(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreater(len(pages), 30)

    def test_links_lead_to_what_is_there(self):
        seen = 0
        for page in pages:
            for number, line in prose(page):
                for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", re.sub(r"`[^`]*`", "", line)):
                    if "://" in target or target.startswith("mailto:"):
                        continue
                    with self.subTest(page=str(page.relative_to(root)), line=number, link=f"{target}#{anchor}"):
                        to = (page.parent / target).resolve() if target else page
                        self.assertTrue(to.exists(), "there is no such file")
                        if anchor:
                            self.assertIn(anchor, anchors(to))
                    seen += 1
        self.assertGreater(seen, 100)

    def test_no_line_of_prose_is_long(self):
        for page in pages:
            for number, line in prose(page):
                # Tables cannot be wrapped, nor can a link.
                if len(line) > longest_line and not line.startswith("|") and " " in re.sub(r"\[[^]]*\]\([^)]*\)", "", line).strip():
                    with self.subTest(page=str(page.relative_to(root)), line=number):
                        self.fail(f"{len(line)} characters")


if __name__ == "__main__":
    unittest.main()
