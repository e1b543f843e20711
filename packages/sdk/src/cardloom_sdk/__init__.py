"""Headless cards, a client for a running canvas, and test hosts.

Names are loaded when they are first asked for: who wants the session stores alone needs no WebSocket library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardloom_protocol.errors import CallError, ErrorCode

    from .canvas import Canvas
    from .card import Card
    from .card_chrome import Tone
    from .card_files import FileChange, FileContent, FileEntry, FileList, FileStat
    from .card_net import NetResponse, NetStream
    from .card_storage import StorageChange, StorageUsage
    from .card_tools import ToolCall
    from .card_types import Agent, CommandResult, Message, Output, Question, Retained, StatusChange, TurnChange
    from .card_ui import MenuItem
    from .client import Client
    from .discovery import Server, data_folder, find_server
    from .listeners import Stop
    from .manifest_file import ManifestError
    from .mirror import Mirror

_CARD_TYPES = ("Agent", "CommandResult", "Message", "Output", "Question", "Retained", "StatusChange", "TurnChange")
_FILE_TYPES = ("FileChange", "FileContent", "FileEntry", "FileList", "FileStat")
_HOMES = {
    "CallError": "cardloom_protocol.errors",
    "ErrorCode": "cardloom_protocol.errors",
    "Canvas": f"{__name__}.canvas",
    "Card": f"{__name__}.card",
    "Stop": f"{__name__}.listeners",
    "Tone": f"{__name__}.card_chrome",
    "MenuItem": f"{__name__}.card_ui",
    "NetResponse": f"{__name__}.card_net",
    "NetStream": f"{__name__}.card_net",
    "StorageChange": f"{__name__}.card_storage",
    "StorageUsage": f"{__name__}.card_storage",
    "ToolCall": f"{__name__}.card_tools",
    **dict.fromkeys(_CARD_TYPES, f"{__name__}.card_types"),
    **dict.fromkeys(_FILE_TYPES, f"{__name__}.card_files"),
    "Client": f"{__name__}.client",
    "Server": f"{__name__}.discovery",
    "data_folder": f"{__name__}.discovery",
    "find_server": f"{__name__}.discovery",
    "ManifestError": f"{__name__}.manifest_file",
    "Mirror": f"{__name__}.mirror",
}

__all__ = [
    "Agent",
    "CallError",
    "Canvas",
    "Card",
    "Client",
    "CommandResult",
    "ErrorCode",
    "FileChange",
    "FileContent",
    "FileEntry",
    "FileList",
    "FileStat",
    "ManifestError",
    "MenuItem",
    "Message",
    "Mirror",
    "NetResponse",
    "NetStream",
    "Output",
    "Question",
    "Retained",
    "Server",
    "StatusChange",
    "Stop",
    "StorageChange",
    "StorageUsage",
    "Tone",
    "ToolCall",
    "TurnChange",
    "data_folder",
    "find_server",
]


def __getattr__(name: str) -> Any:
    """Give a public name from the module that holds it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
