"""A host and a card joined in memory, with a clock that moves when told: for the tests of card authors.

    card = Card(MANIFEST, timing=VirtualTiming())
    async with CardHost(card, peers=[peer("c_note", "note")]) as host:
        await host.deliver("in", "hello")
        assert host.emitted == [Emitted("out", "HELLO")]

The host asks the same questions in the same order as the server (`cardloom_protocol.hosting`). Spec: decision 40.
"""

from .files import MemoryFiles
from .host import CardHost, peer, shell
from .outside import Outside, WebReply, WebRequest
from .virtual import MemoryChannel, VirtualTiming, settle
from .world import Emitted, Shown

__all__ = [
    "CardHost",
    "Emitted",
    "MemoryChannel",
    "MemoryFiles",
    "Outside",
    "Shown",
    "VirtualTiming",
    "WebReply",
    "WebRequest",
    "peer",
    "settle",
    "shell",
]
