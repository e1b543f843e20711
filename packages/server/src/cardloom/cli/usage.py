"""Usage on the command line, from the agents' logs: with the server's index or, for given folders, keeping nothing.

Works beside a running server: both may bring the index up to date.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from glob import escape
from pathlib import Path
from typing import Final

from cardloom_protocol.agents import HARNESSES
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.usage import Work, total_work

from ..features.usage.attribution import by_sender, with_people
from ..features.usage.days import worked_days
from ..features.usage.explaining import explain
from ..features.usage.index import INDEX_NAME
from ..features.usage.ledger import LedgerCopy, read_ledger, sessions_in
from ..features.usage.prices import Prices
from ..features.usage.roots import ANY, Listing, Root, list_logs, roots_of
from ..features.usage.scan import scan
from ..features.usage.store import FUTURE_MS, Scope, UsageStore
from ..features.usage.windows import local_day, midnight_ms
from ..settings import Settings
from .console import Answer, UsageError, say
from .usage_output import (
    Group,
    groups_as_csv,
    groups_as_json,
    groups_as_text,
    sighting_as_json,
    sightings_as_text,
    skips_as_text,
)

_LOG: Final = logging.getLogger("cardloom.features.usage")
_UNHEARD: Final = logging.NullHandler()
_FOLDER_DEPTH: Final = 12
_QUIET_MS: Final = 1000


def sum_up(folders: Sequence[Path], by: str, since: str | None, *, as_csv: bool) -> Answer:
    """Sums by day, agent, model or session."""
    now_ms = time.time_ns() // 1_000_000
    from_ms = None if since is None else _since_ms(since, now_ms)
    with _scanned(folders, now_ms) as store:
        heads, groups = _groups(store, by, Scope(from_ms, now_ms + FUTURE_MS), now_ms)
        skips = store.skips(now_ms, from_ms)
        prices = store.price_version
    if as_csv:
        if skips:
            say(skips_as_text(skips))
        return Answer(None, groups_as_csv(heads, groups))
    total = total_work(group.work for group in groups)
    data = groups_as_json(by, from_ms, heads, groups, total, skips, prices)
    return Answer(data, groups_as_text(heads, groups, total, skips, prices))


def explain_request(folders: Sequence[Path], request: str) -> Answer:
    """The lines behind one request. NOT_FOUND when no request's id begins so."""
    now_ms = time.time_ns() // 1_000_000
    with _scanned(folders, now_ms) as store:
        sightings = explain(store, request)
    if not sightings:
        raise CallError(ErrorCode.NOT_FOUND, f"no request's id begins with {request!r}")
    prices = Prices()
    return Answer(
        [sighting_as_json(seen, prices) for seen in sightings], "\n".join(sightings_as_text(sightings, prices))
    )


@contextmanager
def _scanned(folders: Sequence[Path], now_ms: int) -> Iterator[UsageStore]:
    """The index, up to date. Given folders are read into memory and nothing is kept."""
    roots = [_given(folder) for folder in folders] if folders else roots_of(Path.home(), os.environ)
    kept = None if folders else Settings.from_environment().data_folder / INDEX_NAME
    _LOG.addHandler(_UNHEARD)  # what a server writes into its log is said here in the command's own words
    store = UsageStore(kept, Prices())
    if store.set_aside is not None:
        say(f"The usage index was damaged. It is kept as {store.set_aside}; the logs are read anew.")
    begun_ms = time.monotonic_ns() // 1_000_000

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic_ns() // 1_000_000 - begun_ms > _QUIET_MS:
            print(f"\r{done * 100 // max(total, 1)} % of {total >> 20} MiB", end="", file=sys.stderr, flush=True)
            if done >= total:
                say("")

    try:
        scan(store, roots, now_ms, progress)
        yield store
    finally:
        store.close()


def _given(path: Path) -> Root:
    """A folder with all that is in it, or one log."""
    try:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
        place = path.resolve()
        is_folder = place.is_dir()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    if is_folder:
        return Root(ANY, place, "*", _FOLDER_DEPTH)
    root = Root(ANY, place.parent, escape(place.name), 0)
    if list_logs([root]) == Listing([], []):
        raise UsageError(f"{path} is no log that can be read")
    return root


def _since_ms(text: str, now_ms: int) -> int:
    today = local_day(now_ms)
    days = re.fullmatch(r"([1-9]\d{0,3})d", text)
    try:
        return midnight_ms(today - timedelta(days=int(days[1]) - 1) if days else date.fromisoformat(text))
    except (ValueError, OverflowError):
        raise UsageError(
            f"--since is {text!r}; it can be a day such as {today} or a number of days such as 7d"
        ) from None


def _groups(store: UsageStore, by: str, scope: Scope, now_ms: int) -> tuple[tuple[str, ...], list[Group]]:
    if by == "day":
        return ("day",), _days(store, scope)
    if by == "session":
        found = store.work_by_session(scope)
        groups = [Group((harness, session), work) for (harness, session), work in found.items()]
        return ("agent", "session"), _by_size(groups)
    if by == "sender":
        return ("sender",), _by_size(_senders(store, scope, now_ms))
    if by == "agent":
        return ("agent", "harness"), _by_size(_agents(store, scope))
    column = store.work_by("model", scope)
    return (by,), _by_size([Group((name or "unknown",), work) for name, work in column.items()])


def _agents(store: UsageStore, scope: Scope) -> list[Group]:
    """By the agents on canvases; sessions of no canvas stand under their harness."""
    names = {(one.harness, one.session): one.name for one in _ledger().sessions}
    works: defaultdict[tuple[str, str], Work] = defaultdict(Work)
    for (harness, session), work in store.work_by_session(scope).items():
        works[(names.get((harness, session), HARNESSES[harness].name), harness)] += work
    return [Group(key, work) for key, work in works.items()]


def _senders(store: UsageStore, scope: Scope, now_ms: int) -> list[Group]:
    ledger = _ledger()
    owners = {(one.harness, one.session): one.agent_id for one in ledger.sessions}
    records = [(record, owners.get((harness, record.session))) for record, harness, _ in store.records_with_logs(scope)]
    prompted = {}
    for agent_id in {agent_id for _, agent_id in records if agent_id is not None}:
        sessions = sessions_in(one for one in ledger.sessions if one.agent_id == agent_id)
        prompted[agent_id] = with_people(
            ledger.senders.get(agent_id, ()), ledger.statuses.get(agent_id, ()), store.times_ms(sessions), now_ms
        )
    return [Group((one.name,), one.work) for one in by_sender(records, prompted, store.cost_pico)]


def _ledger() -> LedgerCopy:
    return read_ledger(Settings.from_environment().data_folder / "cardloom.db")


def _days(store: UsageStore, scope: Scope) -> list[Group]:
    return [Group((local_day(begin).isoformat(),), work) for (begin, _), work in worked_days(store, scope)]


def _by_size(groups: list[Group]) -> list[Group]:
    return sorted(
        groups, key=lambda group: (-(group.work.cost_pico or 0), -(group.work.tokens.total or 0), group.names)
    )
