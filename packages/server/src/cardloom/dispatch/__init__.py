"""The one way in: dispatcher and gate."""
