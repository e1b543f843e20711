"""A cart: articles, how many of each, and what they cost together."""

from dataclasses import dataclass, field


@dataclass
class Cart:
    """What a customer wants to buy. Prices are in cents."""

    prices: dict[str, int]
    quantities: dict[str, int] = field(default_factory=dict)

    def add(self, article: str, quantity: int = 1) -> None:
        """Put articles in; an unknown one is refused."""
        if article not in self.prices:
            raise KeyError(f"there is no article {article!r}")
        self.quantities[article] = self.quantities.get(article, 0) + quantity

    def remove(self, article: str) -> None:
        """Take an article out; nothing happens when it is not in."""
        self.quantities.pop(article, None)

    def total(self) -> int:
        """The price of everything."""
        return sum(self.prices[article] * quantity for article, quantity in self.quantities.items())

    def is_empty(self) -> bool:
        return not self.quantities
