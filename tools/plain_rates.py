"""Writes cardloom/features/usage/plain_rates.json: what most requests cost a token, from the installed price table.

Run `python tools/plain_rates.py` after a release of the table; the output is committed. Beside another version of the
table it is passed over, and the table itself is asked.
"""

import json

from cardloom.features.usage.plain_rates import PLAIN_RATES
from cardloom.features.usage.price_table import PriceTable
from cardloom.features.usage.prices import Prices


def main() -> None:
    models = []
    for vendor, names in PriceTable().plain().items():
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(rates)}" for name, rates in names.items())
        models.append(f"{json.dumps(vendor)}: {{\n{lines}\n}}")
    text = f'{{"version": {json.dumps(Prices().version)}, "vendors": {{\n' + ",\n".join(models) + "\n}}\n"
    PLAIN_RATES.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
