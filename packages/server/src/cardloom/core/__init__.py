"""What every feature shares and no feature owns: records, bus, call, grants, presence, dialogs, clock."""
