"""Numbers, JSON, lengths and white space as JavaScript has them."""

from .errors import JsonValue as JsonValue
