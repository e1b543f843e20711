"""Web requests that Cardloom makes for cards, whose own pages reach no network."""
