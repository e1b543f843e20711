"""The Cardloom server and command line."""
