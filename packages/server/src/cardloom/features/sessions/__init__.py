"""Sessions: conversations with backends, kept here and served to every front end."""
