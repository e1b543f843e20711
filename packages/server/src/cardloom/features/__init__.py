"""One folder a noun; siblings never import each other."""
