"""The only place that knows HTTP."""
