"""What checking a value can cost at most, told from the schema alone.

The quick tests do not count the work they do. These bounds say for which values that makes no difference.
"""

from collections.abc import Collection
from dataclasses import dataclass
from math import inf
from typing import Final

from .node import WORK_UNIT_CHARS, Node

MAX_CHOSEN_CHARS: Final = 256
"""Longest text that a quick test compares with a const or an enum, or with its neighbours."""

MAX_UNIQUE_ITEMS: Final = 1000
"""Most entries that a quick test compares with each other."""

# The canonical text of the longest value that is compared: each character may be written as six.
_CHOICE_WORK: Final = -(-(6 * MAX_CHOSEN_CHARS + 2) // WORK_UNIT_CHARS)


@dataclass(frozen=True, slots=True)
class Cost:
    """What the passing values of a schema have at most, each infinite if the schema does not say.

    `nodes` and `depth` are those of the value; finite ones also mean that the test itself proves the value
    plain JSON. `work` is that of the whole check; `work_per_node` and, once, `work_once` bound it by the nodes
    that a value turned out to have.
    """

    nodes: float
    depth: float
    work: float
    work_per_node: float
    work_once: float

    def fits(self, budget: int, max_depth: int, max_nodes: int) -> bool:
        """Whether no passing value can come near these limits."""
        return self.work <= budget and self.depth <= max_depth and self.nodes <= max_nodes

    def fits_value(self, nodes: int, budget: int) -> bool:
        """Whether a plain value of so many nodes stays within the budget."""
        return nodes * self.work_per_node + self.work_once <= budget


def cost_of(root: Node, nodes: Collection[Node]) -> Cost | None:
    """The cost of a schema with these nodes; None where references turn in circles on one value."""
    count = _Count()
    per_node = max(map(count.same_value_work, nodes))
    if per_node == inf:
        return None
    once = sum(node.constant_work + node.options_work for node in nodes)
    bound = count.bound(root)
    return Cost(bound.nodes, bound.depth, bound.work + once, per_node, once)


@dataclass(frozen=True, slots=True)
class _Bound:
    nodes: float
    depth: float
    work: float


_UNBOUND: Final = _Bound(inf, inf, inf)


def _visit_work(node: Node) -> float:
    """The most that one visit of one node costs, what lies below and beside it left out."""
    choice = _CHOICE_WORK if node.constant is not None or node.options is not None else 0
    compared = min(MAX_UNIQUE_ITEMS, inf if node.max_items is None else node.max_items) if node.unique else 0
    return 1 + choice + _CHOICE_WORK * compared


class _Count:
    def __init__(self) -> None:
        self._bounds: dict[Node, _Bound] = {}
        self._works: dict[Node, float] = {}

    def same_value_work(self, node: Node) -> float:
        """The most that one value costs at this node, its references and its branches."""
        if node not in self._works:
            self._works[node] = inf  # stands if the node is met again below itself
            beside = [*(node.any_of or ()), *(node.one_of or ()), *([node.target] if node.target else [])]
            self._works[node] = _visit_work(node) + sum(map(self.same_value_work, beside))
        return self._works[node]

    def bound(self, node: Node) -> _Bound:
        if node not in self._bounds:
            self._bounds[node] = _UNBOUND  # stands if the node is met again below itself
            self._bounds[node] = self._bound(node)
        return self._bounds[node]

    def _bound(self, node: Node) -> _Bound:
        own = self._own_bound(node)
        branches = [self.bound(branch) for branch in node.any_of or ()]
        choices = [self.bound(branch) for branch in node.one_of or ()]
        target = [self.bound(node.target)] if node.target else []
        beside = [own, *target]
        if node.constant is not None or node.options is not None:
            beside.append(_Bound(1, 0, 0))  # the test passes no containers
        for alternatives in (branches, choices):
            if alternatives:
                beside.append(_Bound(max(one.nodes for one in alternatives), max(one.depth for one in alternatives), 0))
        work = own.work + sum(one.work for one in (*target, *branches, *choices))
        return _Bound(min(one.nodes for one in beside), min(one.depth for one in beside), work)

    def _own_bound(self, node: Node) -> _Bound:
        """The bound that the node's own types, members and entries set."""
        work = _visit_work(node)
        if node.types is None:
            return _Bound(inf, inf, inf if self._looks_below(node) else work)
        nodes, depth = 1.0, 0.0
        below: list[tuple[float, _Bound]] = []
        if "array" in node.types:
            most = inf if node.max_items is None else node.max_items
            below.append((most, _UNBOUND if node.items is None else self.bound(node.items)))
        if "object" in node.types:
            below.extend((1, self.bound(member)) for member in node.properties.values())
            if node.additional is not False:
                most = inf if node.max_properties is None else node.max_properties
                below.append((most, self.bound(node.additional) if isinstance(node.additional, Node) else _UNBOUND))
        for count, bound in below:
            if count > 0:
                nodes += count * bound.nodes
                depth = max(depth, 1 + bound.depth)
                work += count * bound.work
        return _Bound(nodes, depth, work)

    @staticmethod
    def _looks_below(node: Node) -> bool:
        return node.items is not None or bool(node.properties) or isinstance(node.additional, Node)
