"""Values along arrows, and the built-in cards that take them in."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.ids import new_item_id
from ..features.canvas.service import CanvasService
from ..features.cards.builtin import handlers as builtin_handlers
from ..features.cards.builtin.service import BuiltinCards
from ..features.ports import handlers as port_handlers
from ..features.ports.activity import Activity
from ..features.ports.catchup import CatchUp
from ..features.ports.questions import Questions
from ..features.ports.replay import Replays
from ..features.ports.service import PortsService
from ..features.ports.stage import Stage
from ..features.ports.store import PortsStore
from ..host.accelerator import check_value
from .shared import Shared


@dataclass(frozen=True, slots=True)
class ValuesGroup:
    """Ports with their journal, questions, late joiners, and the insides of built-in cards."""

    store: PortsStore
    activity: Activity
    ports: PortsService
    questions: Questions
    catch_up: CatchUp
    builtin_cards: BuiltinCards


def join_values(shared: Shared, canvas: CanvasService) -> ValuesGroup:
    """Make the ports and the built-in cards."""
    graph, bus, clock, grants, hooks = shared.graph, shared.bus, shared.clock, shared.grants, shared.sockets.hooks
    store = PortsStore(shared.database)
    activity = Activity(graph, bus, canvas.write_stats)
    ports = PortsService(graph, grants, bus, clock, store, activity, {}, check=check_value)
    questions = Questions(ports, graph, bus, clock, check=check_value)
    catch_up = CatchUp(ports, questions, store, activity, graph, bus, clock)
    canvas.listeners.changed.append(catch_up.changed)
    grants.listen(catch_up.granted)
    hooks.connected.append(lambda card_id, _connection_id: catch_up.card_connected(card_id))
    hooks.disconnected.append(lambda card_id, _connection_id, _reason: catch_up.card_disconnected(card_id))

    builtin_cards = BuiltinCards(graph, canvas.commit, ports.emit, ports.is_said, clock, new_item_id)
    ports.receivers.update(builtin_cards.receivers)
    canvas.listeners.changed.append(builtin_cards.changed)
    shared.handlers.add(builtin_handlers.handlers(builtin_cards, graph))

    def builtins_on(stage: Stage) -> BuiltinCards:
        return BuiltinCards(stage.graph, stage.commit, stage.emit, stage.is_said, stage.clock, new_item_id)

    replays = Replays(graph, grants, store, clock, builtins_on, canvas.add_copy)
    shared.handlers.add(port_handlers.handlers(ports, questions, store, graph, canvas.commit, replays))

    async def resume_builtins() -> None:
        builtin_cards.resume()

    shared.life.on_start.append(resume_builtins)
    shared.life.on_stop.extend((catch_up.close, builtin_cards.flush))
    shared.life.background.extend((catch_up.run, builtin_cards.run))
    return ValuesGroup(store, activity, ports, questions, catch_up, builtin_cards)
