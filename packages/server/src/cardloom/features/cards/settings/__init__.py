"""What the owner and a card may set of it: values with defaults from the manifest, and secrets."""
