"""A mapping over another one: it keeps its own changes and leaves the one behind it as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Layer(MutableMapping[K, V]):
    """`copy` makes a value from behind the layer's own before it is given out, for values that are changed in place."""

    def __init__(self, behind: Mapping[K, V], copy: Callable[[V], V] | None = None) -> None:
        self._behind = behind
        self._copy = copy
        self._own: dict[K, V] = {}
        self._gone: set[K] = set()

    def __getitem__(self, key: K) -> V:
        if key in self._own:
            return self._own[key]
        if key in self._gone:
            raise KeyError(key)
        value = self._behind[key]
        if self._copy is not None:
            value = self._own[key] = self._copy(value)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._own[key] = value
        self._gone.discard(key)

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self._own.pop(key, None)
        self._gone.add(key)

    def __contains__(self, key: object) -> bool:
        return key in self._own or (key not in self._gone and key in self._behind)

    def __iter__(self) -> Iterator[K]:
        yield from (key for key in self._behind if key not in self._gone)
        yield from (key for key in self._own if key not in self._behind)

    def __len__(self) -> int:
        return sum(1 for _ in self)
