"""Any backend as an agent of the AG-UI protocol 1.0: one POST starts or resumes a run and streams its events."""

from .app import AguiApp
from .events import AguiEvents

__all__ = ["AguiApp", "AguiEvents"]
