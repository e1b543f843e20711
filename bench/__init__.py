"""How fast Cardloom is, measured beside a peer or a physical limit in the same run. `python -m bench --help`."""
