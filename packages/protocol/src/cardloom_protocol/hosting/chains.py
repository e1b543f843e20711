"""The cascade guard: values that set off values must not run away.

A chain begins where something was sent without a cause; a delivery made while handling another continues its chain.
Spec: decision 10.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass

from ..ids import ChainId
from ..limits import limit

_WINDOW_MS = 1000


@dataclass(frozen=True, slots=True)
class Cause:
    """The place of a delivery in its chain: `hop` is 1 for a chain's first deliveries."""

    chain_id: ChainId
    hop: int = 1

    def next(self) -> Cause:
        """The place of what is sent while handling this delivery."""
        return Cause(self.chain_id, self.hop + 1)


class ChainGuard:
    """Counts the deliveries of each chain and drops those beyond the limits.

    Keeps only chains that delivered something during the last second. Time must not run backwards.
    """

    __slots__ = ("_chains", "_max_hops", "_max_per_second")

    def __init__(self, max_hops: int = limit("cascadeHops"), max_per_second: int = limit("cascadePerSecond")) -> None:
        self._max_hops = max_hops
        self._max_per_second = max_per_second
        self._chains: OrderedDict[ChainId, deque[tuple[int, int]]] = OrderedDict()

    def admit(self, cause: Cause, now_ms: int, count: int = 1) -> int:
        """How many of `count` deliveries may go ahead, the first ones; the rest is to be dropped as `loop`."""
        self._forget(now_ms)
        if cause.hop > self._max_hops:
            return 0
        spent = self._chains.get(cause.chain_id)
        if spent is None:
            allowed = min(count, self._max_per_second)
        else:
            while spent and spent[0][0] <= now_ms - _WINDOW_MS:
                spent.popleft()
            allowed = min(count, self._max_per_second - sum(entry[1] for entry in spent))
        if allowed > 0:
            if spent is None:
                spent = self._chains[cause.chain_id] = deque()
            spent.append((now_ms, allowed))
            self._chains.move_to_end(cause.chain_id)
        return allowed

    def __len__(self) -> int:
        """How many chains are remembered."""
        return len(self._chains)

    def _forget(self, now_ms: int) -> None:
        while self._chains:
            chain_id, spent = next(iter(self._chains.items()))
            if spent and spent[-1][0] > now_ms - _WINDOW_MS:
                return
            del self._chains[chain_id]
