"""The two colour schemes: a CSS value for each of the 39 theme tokens, and the two font stacks.

A card reads them as `theme.tokens`; the page gets the same values as custom properties in a generated style sheet,
so a card and the canvas around it can never differ. Every foreground here keeps a contrast of at least 4.5 to 1
against the surfaces it stands on, and against the soft colours laid over them.

Spec: cards, theme tokens.
"""

from collections.abc import Mapping
from typing import Final, Literal

Scheme = Literal["dark", "light"]

FONT_SANS: Final = (
    '"Inter Variable", ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, '
    '"Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif'
)
FONT_MONO: Final = (
    '"JetBrains Mono Variable", ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", '
    '"Noto Sans Mono CJK SC", monospace'
)

_DARK: Final[Mapping[str, str]] = {
    "background": "#0e1116",
    "background-secondary": "#12161d",
    "background-tertiary": "#181d26",
    "foreground": "#e8ebf0",
    "muted": "#939cac",
    "surface": "#151a22",
    "surface-foreground": "#e8ebf0",
    "surface-secondary": "#1b212b",
    "surface-secondary-foreground": "#d5dae3",
    "surface-tertiary": "#222a36",
    "surface-tertiary-foreground": "#d5dae3",
    "overlay": "#1a202a",
    "overlay-foreground": "#e8ebf0",
    "default": "#28303d",
    "default-foreground": "#dfe4ec",
    "accent": "#7aa2f7",
    "accent-foreground": "#0b1020",
    "accent-soft": "#7aa2f722",
    "accent-soft-foreground": "#a9c3fa",
    "success": "#73d0a2",
    "success-foreground": "#07180f",
    "success-soft": "#73d0a21f",
    "warning": "#e8b765",
    "warning-foreground": "#1c1404",
    "warning-soft": "#e8b76522",
    "danger": "#f08690",
    "danger-foreground": "#22080b",
    "danger-soft": "#ef7a8522",
    "border": "#262e3a",
    "border-secondary": "#364152",
    "separator": "#202733",
    "focus": "#9dbbfb",
    "link": "#8fb2fa",
    "field-background": "#10141b",
    "field-foreground": "#e8ebf0",
    "field-placeholder": "#828b9a",
    "field-border": "#303a49",
    "radius": "10px",
    "field-radius": "7px",
}

_LIGHT: Final[Mapping[str, str]] = {
    "background": "#f4f5f7",
    "background-secondary": "#eceef2",
    "background-tertiary": "#e3e6ec",
    "foreground": "#1a1f28",
    "muted": "#576170",
    "surface": "#ffffff",
    "surface-foreground": "#1a1f28",
    "surface-secondary": "#f6f7f9",
    "surface-secondary-foreground": "#2b323e",
    "surface-tertiary": "#eceff4",
    "surface-tertiary-foreground": "#2b323e",
    "overlay": "#ffffff",
    "overlay-foreground": "#1a1f28",
    "default": "#e2e6ed",
    "default-foreground": "#262d38",
    "accent": "#3a63cf",
    "accent-foreground": "#ffffff",
    "accent-soft": "#3a63cf1a",
    "accent-soft-foreground": "#2c4ea8",
    "success": "#0f6d45",
    "success-foreground": "#ffffff",
    "success-soft": "#1f9d681f",
    "warning": "#855309",
    "warning-foreground": "#ffffff",
    "warning-soft": "#b7791f24",
    "danger": "#b23242",
    "danger-foreground": "#ffffff",
    "danger-soft": "#cc44551a",
    "border": "#dfe3ea",
    "border-secondary": "#c3cad6",
    "separator": "#e6e9ef",
    "focus": "#3a63cf",
    "link": "#2f57bd",
    "field-background": "#ffffff",
    "field-foreground": "#1a1f28",
    "field-placeholder": "#69727f",
    "field-border": "#cbd2dd",
    "radius": "10px",
    "field-radius": "7px",
}

THEMES: Final[Mapping[Scheme, Mapping[str, str]]] = {"dark": _DARK, "light": _LIGHT}


def theme_css() -> str:
    """The style sheet of the page: the fonts and the tokens of both schemes as custom properties."""
    parts = ["/* Generated from cardloom_protocol.themes; edit the table there. */"]
    parts.append(f":root {{\n  --font-sans: {FONT_SANS};\n  --font-mono: {FONT_MONO};\n}}")
    for scheme, tokens in THEMES.items():
        selector = ':root,\n[data-scheme="dark"]' if scheme == "dark" else f'[data-scheme="{scheme}"]'
        lines = "\n".join(f"  --{token}: {value};" for token, value in tokens.items())
        parts.append(f"{selector} {{\n  color-scheme: {scheme};\n{lines}\n}}")
    return "\n\n".join(parts) + "\n"
