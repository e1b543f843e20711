"""The insides of the cards that Cardloom brings: note, to-do list, task board, sticky."""
