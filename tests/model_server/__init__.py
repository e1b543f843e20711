"""A model server that says what a test wants: agents' programs talk to it instead of a vendor.

The last words of a person in a request choose the answer (`scenario.py`); four vendors' wires are spoken (`wires/`).
`python -m tests.model_server --port 0` runs it alone; tests start it with `serving.serving_models`.
"""
