"""Packages that the owner installed: where they come from, what is in them, their versions, who vouches for them."""
