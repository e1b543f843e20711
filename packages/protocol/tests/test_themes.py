"""The colour schemes are complete, and their texts can be read."""

import json
from pathlib import Path

import pytest

from cardloom_protocol.themes import THEMES, Scheme, theme_css

NAMES = json.loads((Path(__file__).parents[3] / "tests/vectors/cards/theme_tokens.json").read_text())["tokens"]
READABLE = (
    ("foreground", "background"),
    ("foreground", "background-secondary"),
    ("muted", "background-secondary"),
    ("muted", "surface"),
    ("surface-foreground", "surface"),
    ("surface-secondary-foreground", "surface-secondary"),
    ("surface-tertiary-foreground", "surface-tertiary"),
    ("overlay-foreground", "overlay"),
    ("default-foreground", "default"),
    ("accent-foreground", "accent"),
    ("success-foreground", "success"),
    ("warning-foreground", "warning"),
    ("danger-foreground", "danger"),
    ("field-foreground", "field-background"),
    ("link", "surface"),
    ("danger", "surface"),
    ("success", "surface"),
    ("warning", "surface"),
)


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_each_scheme_gives_all_tokens_in_their_order(scheme: Scheme) -> None:
    assert list(THEMES[scheme]) == NAMES


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize(("text", "ground"), READABLE)
def test_text_keeps_its_contrast(scheme: Scheme, text: str, ground: str) -> None:
    assert contrast(THEMES[scheme][text], THEMES[scheme][ground]) >= 4.5


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_a_placeholder_keeps_a_contrast_of_three(scheme: Scheme) -> None:
    assert contrast(THEMES[scheme]["field-placeholder"], THEMES[scheme]["field-background"]) >= 3


def test_the_style_sheet_holds_every_token_once_a_scheme() -> None:
    sheet = theme_css()
    for name in NAMES:
        assert sheet.count(f"  --{name}: ") == 2
