"""Headless cards, a client for a running canvas, and test hosts."""

from cardloom_protocol.errors import CallError, ErrorCode

from .canvas import Canvas
from .card import Card, Stop
from .card_chrome import Tone
from .card_types import Agent, CommandResult, Message, Output, Question, Retained, StatusChange, TurnChange
from .client import Client
from .discovery import Server, data_folder, find_server
from .manifest_file import ManifestError
from .mirror import Mirror

__all__ = [
    "Agent",
    "CallError",
    "Canvas",
    "Card",
    "Client",
    "CommandResult",
    "ErrorCode",
    "ManifestError",
    "Message",
    "Mirror",
    "Output",
    "Question",
    "Retained",
    "Server",
    "StatusChange",
    "Stop",
    "Tone",
    "TurnChange",
    "data_folder",
    "find_server",
]
