"""Values along arrows, and the journal of them."""
