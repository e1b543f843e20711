"""Usage: every token and cent, read from the logs that agents keep of themselves."""
