#!/usr/bin/env bash
# Installs the built wheels in an empty environment, starts the server on a folder and asks it for its page.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
server=
# The folder goes when the server, which writes to it until its end, is gone.
leave() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$place"
}
trap leave EXIT

"${PYTHON:-python3}" -m venv "$place/env"
"$place/env/bin/python" -m pip install --quiet --disable-pip-version-check dist/*.whl
"$place/env/bin/python" - <<'PY'
from importlib.metadata import files

for name in ("cardloom-protocol", "cardloom-sdk", "cardloom"):
    assert any(path.name == "LICENSE" for path in files(name)), f"{name} comes without its licence"
for name in ("cardloom-protocol", "cardloom"):
    assert any(path.name == "NOTICE" for path in files(name)), f"{name} comes without its notice"
notices = [path.read_text("utf-8") for path in files("cardloom") if path.name == "third-party.md"]
assert len(notices) == 2 and all("react-dom" in text for text in notices), "the code of others comes without its notices"
PY
mkdir "$place/folder"
export CARDLOOM_HOME="$place/data"
"$place/env/bin/cardloom" --version
"$place/env/bin/cardloom" up "$place/folder" --no-open >"$place/log" 2>&1 &
server=$!
for _ in $(seq 600); do
  address=$(grep -om1 'http://127\.0\.0\.1:[0-9]*' "$place/log" || true)
  [ -n "$address" ] && break
  kill -0 "$server" 2>/dev/null || { cat "$place/log"; exit 1; }
  sleep 0.1
done
[ -n "$address" ] || { echo "the server printed no address"; cat "$place/log"; exit 1; }
"$place/env/bin/python" - "$address" <<'PY'
import re
import sys
import urllib.request

page = urllib.request.urlopen(sys.argv[1] + "/").read().decode()
script = re.search(r'src="(/assets/[^"]+\.js)"', page)
assert script, "the page names no script"
assert len(urllib.request.urlopen(sys.argv[1] + script[1]).read()) > 50_000, "the script is too small"
PY
"$place/env/bin/cardloom" status --json
"$place/env/bin/cardloom" cards --json
"$place/env/bin/cardloom" card list --json >"$place/packages"
"$place/env/bin/python" - "$place" <<'PY'
import json
import sys
from pathlib import Path

from cardloom.cli.demo import lay_out

place = Path(sys.argv[1])
came = {package["name"] for package in json.loads((place / "packages").read_text())}
assert {"test-radar", "message-inspector", "clock-counter"} <= came, f"examples are missing: {came}"
assert (lay_out(place / "demo") / "run-tests").stat().st_mode & 0o111, "the sample project's tests cannot be started"
PY
echo "the wheels work: $address"
