#!/usr/bin/env bash
# The documents become a site without a warning. Usage: site_test.sh ROOT PYTHON, of which the second has sphinx, furo and myst-parser.
set -euo pipefail
root=$(cd "$1" && pwd) python=$2
"$python" -c "import sphinx, furo, myst_parser" 2>/dev/null || { echo "Skipped: $python has no sphinx, furo and myst-parser"; exit 77; }
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
"$python" -m sphinx -q -n -W --keep-going -b html -d "$site/cache" "$root/docs" "$site/html"
for page in index guide/cookbook concepts/trees configuration; do
  [ -s "$site/html/$page.html" ] || { echo "there is no $page.html"; exit 1; }
done
# What is not on the site is named, not linked.
! grep -l 'href="[^"]*\.md["#]' -r "$site/html" --include='*.html' || exit 1
