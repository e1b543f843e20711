"""Makes the card importable for its tests, as it is when it runs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
