"""Tools that cards offer to the agents joined to them by an arrow."""
