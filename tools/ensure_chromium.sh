#!/usr/bin/env bash
# Makes sure that a Chromium is there for the browser tests: the one named by CARDLOOM_CHROMIUM, one on PATH, the
# distribution's package where this user may install it, or else the browser that Playwright brings itself.
set -euo pipefail

if [ -n "${CARDLOOM_CHROMIUM:-}" ]; then
  [ -x "$CARDLOOM_CHROMIUM" ] || { echo "CARDLOOM_CHROMIUM names $CARDLOOM_CHROMIUM, which cannot be run" >&2; exit 1; }
  exit 0
fi
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  for _ in 1 2 3; do # a mirror may be away for a moment
    if apt-get update -qq -o Acquire::Retries=3 &&
      apt-get install -y -qq -o Acquire::Retries=3 --no-install-recommends chromium fonts-dejavu-core fonts-noto-cjk >/dev/null; then
      exit 0
    fi
  done
fi
exec .venv/bin/python -m playwright install chromium
