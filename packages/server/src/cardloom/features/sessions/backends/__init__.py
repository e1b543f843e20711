"""The backends behind the session protocol: our own engine, and others' programs and servers."""
