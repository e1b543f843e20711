"""Cards that are pages in sandboxed frames: where each is mounted, when it sleeps, how it wakes."""
