"""The vendors' wires: a reply becomes frames of an event stream, or one JSON object. Pure.

Every wire is a function `stream(answer)` that yields what goes out and when, and `whole(answer)`.
"""
