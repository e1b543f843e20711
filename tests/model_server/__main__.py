"""Run the scripted model alone: `python -m tests.model_server --port 8099`."""

from __future__ import annotations

import argparse
from contextlib import suppress

from .serving import serving_models

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
with serving_models(parser.parse_args().port) as server, suppress(KeyboardInterrupt):
    print(server.url, flush=True)
    server.join()
