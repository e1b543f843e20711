"""Stores of sessions behind one contract: memory, nr-chat texts, pi files, Claude transcripts."""

from .claude import ClaudeStore
from .contract import SessionPage, SessionStore, StoreCapabilities
from .converting import Copied, Loss, copy_session
from .memory import MemoryStore
from .nr_chat import NrChatStore
from .pi import PiStore
from .registry import StoreFactory, StoreRegistry

__all__ = [
    "ClaudeStore",
    "Copied",
    "Loss",
    "MemoryStore",
    "NrChatStore",
    "PiStore",
    "SessionPage",
    "SessionStore",
    "StoreCapabilities",
    "StoreFactory",
    "StoreRegistry",
    "copy_session",
]
