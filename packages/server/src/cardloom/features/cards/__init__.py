"""Built-in contents and headless Python cards."""
