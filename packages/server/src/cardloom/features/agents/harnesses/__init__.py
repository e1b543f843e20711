"""One file a harness: how it is found, started, understood and answered. Nothing here reads, writes or waits."""
