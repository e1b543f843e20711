"""Test Radar's program: the card that `radar` makes."""

from radar import make_card

if __name__ == "__main__":
    make_card().run()
