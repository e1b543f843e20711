"""The string formats of the schema subset."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from ..jstext import JS_SPACE, utf16_length

_SPACES = re.escape(JS_SPACE)
_URI = re.compile(rf"[A-Za-z][A-Za-z0-9+.\-]*:[^{_SPACES}]*")
_EMAIL = re.compile(rf"([^{_SPACES}@]+)@([^{_SPACES}@]+)")
_DATE = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")
_TIME = re.compile(
    r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?|24:00:00(?:\.0{1,9})?)"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_COLOR = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

_MAX_URI_UNITS: Final = 8192
_MAX_LOCAL_UNITS: Final = 64
_MAX_DOMAIN_UNITS: Final = 255


def _is_uri(text: str) -> bool:
    """A scheme and a colon, then anything without white space."""
    return _URI.fullmatch(text) is not None and utf16_length(text) <= _MAX_URI_UNITS


def _is_date(text: str) -> bool:
    """Every month has 31 days here, as in the card host contract."""
    return _DATE.fullmatch(text) is not None


def _is_date_time(text: str) -> bool:
    return text[10:11] == "T" and _is_date(text[:10]) and _TIME.fullmatch(text, 11) is not None


def _is_email(text: str) -> bool:
    match = _EMAIL.fullmatch(text)
    return (
        match is not None and utf16_length(match[1]) <= _MAX_LOCAL_UNITS and utf16_length(match[2]) <= _MAX_DOMAIN_UNITS
    )


def _is_color(text: str) -> bool:
    return _COLOR.fullmatch(text) is not None


def _is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "uri": _is_uri,
    "date-time": _is_date_time,
    "date": _is_date,
    "email": _is_email,
    "color": _is_color,
    "uuid": _is_uuid,
}
