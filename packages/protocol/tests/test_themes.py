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
    ("field-placeholder", "field-background"),
    ("field-placeholder", "overlay"),
)
# What is written on the soft colours: chips, badges, notices, chosen rows.
READABLE_SOFT = (
    ("success", "success-soft"),
    ("warning", "warning-soft"),
    ("danger", "danger-soft"),
    ("accent-soft-foreground", "accent-soft"),
    ("muted", "accent-soft"),
)
GROUNDS = ("background", "background-secondary", "surface", "surface-secondary", "overlay")


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def laid_over(soft: str, ground: str) -> str:
    """The colour that a half transparent `#rrggbbaa` makes of the one below."""
    share = int(soft[7:9], 16) / 255
    pairs = [(int(soft[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(above * share + below * (1 - share)):02x}" for above, below in pairs)


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
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize(("text", "soft"), READABLE_SOFT)
def test_text_keeps_its_contrast_on_a_soft_colour_over_every_ground(
    scheme: Scheme, text: str, soft: str, ground: str
) -> None:
    tokens = THEMES[scheme]
    assert contrast(tokens[text], laid_over(tokens[soft], tokens[ground])) >= 4.5


def test_the_style_sheet_holds_every_token_once_a_scheme() -> None:
    sheet = theme_css()
    for name in NAMES:
        assert sheet.count(f"  --{name}: ") == 2
