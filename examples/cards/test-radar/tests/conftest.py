"""Makes the card's own modules importable, as they are when it runs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
