"""One module a harness: its log lines or rows in, facts out. Nothing here opens a file or knows the time."""
