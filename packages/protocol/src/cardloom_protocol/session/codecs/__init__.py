"""Session files of other programs as text: read, changed in place, written with every untouched record as it was."""
