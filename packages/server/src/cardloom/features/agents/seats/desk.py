"""The seats of all agents by card: started and ended with their cards and workspaces, told of everywhere.

Spec: agents; harnesses, linking sessions and process life; decisions 22-28, 40, 41.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from cardloom_protocol.agents import AgentInfo, advance
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.themes import Scheme

from ....core.clock import Clock
from ....core.directory import Directory
from ....core.graph import Graph
from ....core.programs import MakeAudience, MakeReaders
from ....core.records import Card, Change, JsonObject, PutCard, touched
from ....core.supervised import Supervised
from ..harnesses.shape import Harness, McpServer
from ..signals import Choice
from ..state import AgentState, Published
from ..transitions import MAX_SESSIONS
from . import left_over, worktrees
from .answering import answer
from .detection import Detector, Found, named_program
from .launching import Wish, forget, prepare
from .seat import Seat
from .showing import Emit, Outputs, question_key, shown

_log = logging.getLogger(__name__)

KIND: Final = "agent"

Commit: TypeAlias = Callable[[WorkspaceId, Callable[[Graph], Sequence[Change]]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Hooks:
    """What other features do for agents.

    `check_folder` raises FS_ERROR. `tools` makes the access to the canvas's tools. `hook_url` is where this agent's
    hooks post. `waiting` counts the prompts that wait. `moved` is told of every change of a seat, after the directory.
    """

    patch_runtime: Callable[[CardId, JsonObject | None], None]
    commit: Commit
    check_folder: Callable[[str], None]
    emit: Emit
    tools: Callable[[CardId], McpServer]
    hook_url: Callable[[CardId], str]
    waiting: Callable[[CardId], int]
    moved: Callable[[Seat, tuple[Published, ...]], None]


class SeatDesk:
    """All agents. An agent starts when it is told to, or with its workspace when it ran while that was open."""

    def __init__(
        self,
        graph: Graph,
        clock: Clock,
        directory: Directory,
        harnesses: Mapping[str, Harness],
        detector: Detector,
        folder: Path,
        make_audience: MakeAudience,
        make_readers: MakeReaders,
        hooks: Hooks,
    ) -> None:
        self.hooks = hooks
        self.detector = detector
        self._graph = graph
        self._clock = clock
        self._directory = directory
        self._harnesses = harnesses
        self._layers = folder / "agents"
        self._worktrees = folder / "worktrees"
        self._make_audience = make_audience
        self._make_readers = make_readers
        self._seats: dict[CardId, Seat] = {}
        self._queue_revisions: dict[CardId, int] = {}
        self._starting: dict[CardId, asyncio.Lock] = {}
        self._beside = Supervised(_log, "an agent's work")
        self._outputs = Outputs(hooks.emit, self._beside.start)
        self._scheme: Scheme = "dark"

    # The canvas's life

    async def card_comes(self, card: Card) -> None:
        """List an agent, and start it when it ran before: the server came back, its workspace, or a removed card."""
        seat = self._seat(card)
        self._put(seat)
        self._tell(seat)
        if card.content.get("wanted"):
            self._beside.start(self._start_again(card.id))

    async def card_goes(self, card: Card) -> None:
        """End an agent whose card or workspace goes; in a workspace that opens again it is wanted again."""
        self._directory.remove(card.id)
        seat = self._seats.pop(card.id, None)
        if seat is not None:
            await seat.leave()
            self.hooks.patch_runtime(card.id, None)
        self._outputs.forget(card.id)
        self._queue_revisions.pop(card.id, None)
        if self._graph.find_card(card.id) is None:
            forget(card.id, self._layers)

    def canvas_changed(self, _workspace_id: WorkspaceId, changes: Sequence[Change]) -> None:
        """Follow an agent's renaming."""
        for change in changes:
            if isinstance(change, PutCard) and change.fields is not None and "name" in change.fields:
                seat = self._seats.get(change.card.id)
                if seat is not None:
                    self._put(seat)

    async def close(self) -> None:
        """End all agents, which come back with the server."""
        await asyncio.gather(*(seat.leave() for seat in self._seats.values()))
        await self._beside.end()

    def set_scheme(self, scheme: str) -> None:
        self._scheme = "light" if scheme == "light" else "dark"
        for seat in self._seats.values():
            seat.set_scheme(self._scheme)

    # What the owner asks

    def seat(self, card_id: str) -> Seat:
        """The seat of an agent card. NOT_FOUND when the card is no agent; UNAVAILABLE when its workspace is closed."""
        card = self._graph.card(card_id)
        if card.kind != KIND:
            raise CallError(ErrorCode.NOT_FOUND, f"{card.name!r} is no agent")
        if not self._graph.is_open(card.workspace_id):
            raise CallError(ErrorCode.UNAVAILABLE, "this agent's workspace is closed")
        return self._seat(card)

    def find(self, card_id: str) -> Seat | None:
        return self._seats.get(CardId(card_id))

    async def make_worktree(self, workspace_id: str, branch: str) -> dict[str, str]:
        """A worktree of the workspace's repository, as an agent's content names it. The errors of `worktrees.make`."""
        workspace = self._graph.workspace(workspace_id)
        made = await worktrees.make(workspace.path, branch, self._worktrees / workspace.id)
        return made.to_content()

    async def start(self, card_id: str, *, prompt: str | None = None, fresh: bool = False) -> bool:
        """Start an agent that does not run; gives whether the first prompt went with it.

        NOT_FOUND; BUSY when it runs; UNAVAILABLE naming what is missing; FS_ERROR: its folder.
        """
        seat = self.seat(card_id)
        async with self._start_turn(seat):
            if seat.alive:
                raise CallError(ErrorCode.BUSY, "this agent runs already")
            given = await self._launch(seat, prompt=prompt, fresh=fresh)
            await self._want(seat.card_id, wanted=True)
        return given

    async def stop(self, card_id: str) -> None:
        """End an agent's program. NOT_FOUND."""
        seat = self.seat(card_id)
        async with self._start_turn(seat):
            await self._want(seat.card_id, wanted=False)
            await seat.end()

    async def interrupt(self, card_id: str) -> None:
        """Interrupt an agent's turn. NOT_FOUND; UNAVAILABLE."""
        await self.seat(card_id).interrupt()

    async def answer(self, card_id: str, choice: Choice, question_id: str | None) -> None:
        """Answer the open question. NOT_FOUND; BUSY when that question is not open any more."""
        seat = self.seat(card_id)
        if question_id is not None and question_id != question_key(seat.state):
            raise CallError(ErrorCode.BUSY, "that question is not open any more")
        await answer(seat, choice)

    async def configure(self, card_id: str, fields: Mapping[str, Any]) -> Card:
        """Change what the next start depends on. NOT_FOUND."""
        seat = self.seat(card_id)
        await self._change(seat.card_id, **fields)
        self._tell(seat)
        return self._graph.card(card_id)

    async def diff(self, card_id: str) -> worktrees.Changes | None:
        """What changed in the folder an agent works in; None outside git. NOT_FOUND."""
        card = self._graph.card(self.seat(card_id).card_id)
        return await worktrees.changes(self._folder(card))

    def is_dangerous(self, card_id: CardId) -> bool:
        """Whether an agent runs without asking, or will from its next start on."""
        seat, card = self._seats.get(card_id), self._graph.find_card(card_id)
        return (seat is not None and seat.dangerous) or bool(card is not None and card.content.get("dangerous"))

    def last_reply(self, card_id: str) -> tuple[str | None, int | None]:
        """The final message of the last turn and its time, None where there is none."""
        reply = self.seat(card_id).state.reply
        return (None, None) if reply is None else (reply.text, reply.at_ms)

    # What seats tell

    def moved(self, seat: Seat, published: tuple[Published, ...]) -> None:
        card = self._graph.find_card(seat.card_id)
        if card is None or seat.card_id not in self._seats:
            return
        for one in published:
            self._advance(card, one)
        self._put(seat)
        self._tell(seat)
        self._link_sessions(card, seat.state)
        self._outputs.send(seat, published)
        self.hooks.moved(seat, published)

    def session_missed(self, seat: Seat) -> None:
        self._beside.start(self._start_fresh(seat))

    def show_queue(self, card_id: CardId) -> None:
        """Show how many prompts wait, and that something about them changed."""
        self._queue_revisions[card_id] = self._queue_revisions.get(card_id, 0) + 1
        seat = self._seats.get(card_id)
        if seat is not None:
            self._tell(seat)

    # Starting

    async def check(self, workspace_id: str, content: Mapping[str, Any]) -> None:
        """Whether an agent of that content could start, before anything is made for it. UNAVAILABLE; FS_ERROR."""
        folder = str(content.get("folder") or self._graph.workspace(workspace_id).path)
        await asyncio.to_thread(self.hooks.check_folder, folder)
        found = await self._usable(self._harnesses[str(content["harness"])])
        if found.program is None:
            named_program(content.get("arguments") or ())

    async def _usable(self, harness: Harness) -> Found:
        found = await self.detector.one(harness)
        if found.problem is not None:
            raise CallError(ErrorCode.UNAVAILABLE, found.problem, {"install": harness.detection.install})
        return found

    async def _launch(self, seat: Seat, *, prompt: str | None = None, fresh: bool = False) -> bool:
        card = self._graph.card(seat.card_id)
        folder = self._folder(card)
        kept = card.content.get("worktree")
        if kept is not None:
            workspace = self._graph.workspace(card.workspace_id)
            await worktrees.restore(workspace.path, worktrees.Worktree(kept["branch"], kept["path"]))
        await asyncio.to_thread(self.hooks.check_folder, folder)
        found = await self._usable(seat.harness)
        program, content = found.program, card.content
        if program is None:
            program, words = named_program(content.get("arguments") or ())
            content = {**content, "arguments": words}
        wish = Wish(
            card_id=card.id,
            content=content,
            folder=folder,
            program=program,
            version=found.numbers,
            hook_url=self.hooks.hook_url(card.id),
            mcp=self.hooks.tools(card.id),
            prompt=prompt,
            fresh=fresh,
        )
        layer = self._layers / card.id
        try:
            await asyncio.to_thread(left_over.end, layer)
            beginning = await asyncio.to_thread(prepare, seat.harness, wish, self._layers)
        except OSError as error:
            raise CallError(
                ErrorCode.UNAVAILABLE, f"the agent's own folder cannot be written: {error.strerror}"
            ) from error
        seat.dangerous = bool(card.content.get("dangerous"))
        await seat.begin(beginning)
        if seat.pid is not None:
            with contextlib.suppress(OSError):
                await asyncio.to_thread(left_over.remember, layer, seat.pid)
        return beginning.prompt_given

    async def _start_again(self, card_id: CardId) -> None:
        try:
            await self.start(card_id)
        except CallError as error:
            _log.warning("agent %s did not start again: %s", card_id, error)

    async def _start_fresh(self, seat: Seat) -> None:
        await self._change(seat.card_id, sessionId=None)
        try:
            async with self._start_turn(seat):
                if not self._graph.card(seat.card_id).content.get("wanted", True):
                    raise CallError(ErrorCode.UNAVAILABLE, "it was ended meanwhile")
                await self._launch(seat, fresh=True)
        except CallError as error:
            _log.warning("agent %s: its session is gone and a fresh one did not start: %s", seat.card_id, error)
            seat.fresh_start_failed(error.message)

    def _start_turn(self, seat: Seat) -> asyncio.Lock:
        """Who starts or ends a program holds it."""
        return self._starting.setdefault(seat.card_id, asyncio.Lock())

    def _folder(self, card: Card) -> str:
        worktree = card.content.get("worktree")
        if worktree is not None:
            return str(worktree["path"])
        return str(card.content.get("folder") or self._graph.workspace(card.workspace_id).path)

    async def _want(self, card_id: CardId, *, wanted: bool) -> None:
        await self._change(card_id, wanted=wanted)

    # Telling

    def _advance(self, card: Card, one: Published) -> None:
        known = self._directory.find(card.id)
        if known is not None:
            self._directory.put(card.workspace_id, card.id, advance(known, one.status, one.at_ms)[0])

    def _put(self, seat: Seat) -> None:
        """Tell the directory of an agent's name, status, title and model."""
        card = self._graph.card(seat.card_id)
        known = self._directory.find(card.id)
        if known is None:
            known = AgentInfo(card.id, card.name, seat.harness.id, "ai", seat.status)
        info = advance(known, seat.status, self._clock.now_ms())[0]
        info = replace(
            info,
            name=card.name,
            session_title=seat.state.title,
            model=seat.state.model or card.content.get("model"),
        )
        self._directory.put(card.workspace_id, card.id, info)

    def _tell(self, seat: Seat) -> None:
        info, waiting = self._directory.find(seat.card_id), self.hooks.waiting(seat.card_id)
        self.hooks.patch_runtime(seat.card_id, shown(seat, info, waiting, self._queue_revisions.get(seat.card_id, 0)))

    def _link_sessions(self, card: Card, state: AgentState) -> None:
        """Keep every session an agent ever used: what it spent is found by them."""
        if state.session_id is None:
            return
        known = list(card.content.get("sessionIds") or ())
        fresh = [one for one in state.session_ids if one not in known]
        if fresh or card.content.get("sessionId") != state.session_id:
            ids = [*known, *fresh][-MAX_SESSIONS:]
            self._beside.start(self._change(card.id, sessionId=state.session_id, sessionIds=ids))

    async def _change(self, card_id: CardId, **fields: Any) -> None:
        card = self._graph.find_card(card_id)
        if card is None:
            return

        def make(graph: Graph) -> list[Change]:
            now = graph.find_card(card_id)
            if now is None or all(now.content.get(name) == value for name, value in fields.items()):
                return []
            change = touched(now, content={**now.content, **fields})
            return [] if change is None else [change]

        await self.hooks.commit(card.workspace_id, make)

    # Inside

    def _seat(self, card: Card) -> Seat:
        seat = self._seats.get(card.id)
        if seat is None:
            harness = self._harnesses[str(card.content["harness"])]
            seat = Seat(card.id, harness, self, self._clock, self._make_audience, self._make_readers(card.id))
            seat.set_scheme(self._scheme)
            self._seats[card.id] = seat
        return seat
