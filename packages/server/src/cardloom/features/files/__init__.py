"""Files of the workspace: reading, writing, the trash, watches."""
