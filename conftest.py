"""What holds for every suite: properties are tried with the same examples in each run, however slow the machine is.

By itself Hypothesis fails a test of which one example takes a fifth of a second. For other examples than those of each
run: `pytest --hypothesis-profile=default`.
"""

from contextlib import suppress

with suppress(ModuleNotFoundError):  # the protocol's tests also run where nothing but pytest is
    from hypothesis import settings

    settings.load_profile("ci")
