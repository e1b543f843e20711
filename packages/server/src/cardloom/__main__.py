"""`python -m cardloom`: the same as `cardloom`."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main()
