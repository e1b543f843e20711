"""The rules of Cardloom as pure functions: no I/O, no clock, no dependency."""
