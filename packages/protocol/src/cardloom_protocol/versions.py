"""The order of semantic versions. Spec: manifest; decision 14."""

from __future__ import annotations


def is_newer(version: str, other: str) -> bool:
    """Whether a version comes after another one; what follows a `+` does not matter."""
    return _compare(version, other) > 0


def _compare(one: str, other: str) -> int:
    (numbers, stage), (other_numbers, other_stage) = _parts(one), _parts(other)
    if numbers != other_numbers:
        return 1 if numbers > other_numbers else -1
    if not stage or not other_stage:
        # A version without a stage is the finished one.
        return bool(other_stage) - bool(stage)
    for a, b in zip(stage, other_stage, strict=False):
        if a != b:
            return _compare_stages(a, b)
    return len(stage) - len(other_stage)


def _parts(version: str) -> tuple[list[int], list[str]]:
    core, _, stage = version.partition("+")[0].partition("-")
    return [int(number) for number in core.split(".")], stage.split(".") if stage else []


def _compare_stages(one: str, other: str) -> int:
    """Numbers by value, before words; words by code point."""
    if one.isdigit() and other.isdigit():
        return int(one) - int(other)
    if one.isdigit() or other.isdigit():
        return -1 if one.isdigit() else 1
    return 1 if one > other else -1
