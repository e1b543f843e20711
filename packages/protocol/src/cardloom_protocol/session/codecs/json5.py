"""JSON5 on one line, as nr-chat writes the meta of its messages. Spec: session protocol, nr-chat text.

Reading takes all of JSON5; writing has one form: bare keys where they can be, single quotes, `, ` and `: `.
"""

from __future__ import annotations

import re
from math import inf, isfinite, nan
from typing import Final

from ...jstext import JsonValue, as_double, is_js_space, number_text
from ..errors import CodecError
from ..limits import session_limit

_BARE_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_KEY_START = re.compile(r"[^\W\d]|[$_]")
_KEY_CHAR = re.compile(r"\w|[$\u200c\u200d]")
_NUMBER = re.compile(
    r"0[xX][0-9a-fA-F]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?"
)
_ESCAPED = re.compile("['\\\\\x00-\x1f\u2028\u2029\ud800-\udfff]")
_PLAIN_CHARS = re.compile(r"""[^\\'"\n\r]+""")
_LINE_ENDS: Final = "\n\r\u2028\u2029"
_SHORT: Final = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "'": "'", "\\": "\\"}
_FROM_SHORT: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}
_WORDS: Final[dict[str, JsonValue]] = {"null": None, "true": True, "false": False, "Infinity": inf, "NaN": nan}


# Writing


def write_json5(value: JsonValue) -> str:
    """The canonical text of a value, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)}: {write_json5(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(write_json5, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    double = as_double(value)
    return "-0" if double == 0 and str(double).startswith("-") else number_text(value)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else quoted(key)


def quoted(text: str) -> str:
    """A text in single quotes; whatever could end the line is escaped."""
    return "'" + _ESCAPED.sub(lambda found: _escape(found, text), text) + "'"


def _escape(found: re.Match[str], text: str) -> str:
    char = found[0]
    if char in _SHORT:
        return "\\" + _SHORT[char]
    if char == "\0":
        # A digit behind \0 would make another escape of it.
        return "\\x00" if text[found.end() : found.end() + 1].isdigit() else "\\0"
    return f"\\x{ord(char):02x}" if char < " " else f"\\u{ord(char):04x}"


# Reading


def read_json5(text: str) -> JsonValue:
    """The value of a JSON5 text; a CodecError for anything else. Of a key given twice the last one counts."""
    reader = _Reader(text)
    value = reader.value(session_limit("metaDepth"))
    reader.skip_space()
    if reader.at != len(text):
        raise CodecError(f"unexpected {text[reader.at]!r} after the value")
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def value(self, levels: int) -> JsonValue:
        if levels < 0:
            raise CodecError("the value is nested too deeply")
        self.skip_space()
        match self.peek():
            case "{":
                return self.object(levels)
            case "[":
                return self.array(levels)
            case "'" | '"':
                return self.string()
            case char if char and char in "+-.0123456789":
                return self.number()
            case _:
                return self.word()

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self, char: str) -> bool:
        if self.peek() != char:
            return False
        self.at += 1
        return True

    def expect(self, char: str) -> None:
        if not self.take(char):
            raise CodecError(f"expected {char!r}, found {self.peek() or 'the end'!r}")

    def skip_space(self) -> None:
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char == " " or is_js_space(char):
                self.at += 1
            elif char != "/":
                return
            elif text.startswith("//", self.at):
                while self.at < len(text) and text[self.at] not in _LINE_ENDS:
                    self.at += 1
            elif text.startswith("/*", self.at):
                end = text.find("*/", self.at + 2)
                if end < 0:
                    raise CodecError("a comment never ends")
                self.at = end + 2
            else:
                return

    def object(self, levels: int) -> JsonValue:
        self.expect("{")
        members: dict[str, JsonValue] = {}
        self.skip_space()
        while not self.take("}"):
            key = self.string() if self.peek() in ("'", '"') else self.name()
            self.skip_space()
            self.expect(":")
            members[key] = self.value(levels - 1)
            self.comma("}")
        return members

    def array(self, levels: int) -> JsonValue:
        self.expect("[")
        items: list[JsonValue] = []
        self.skip_space()
        while not self.take("]"):
            items.append(self.value(levels - 1))
            self.comma("]")
        return items

    def comma(self, closer: str) -> None:
        self.skip_space()
        if self.peek() != closer:
            self.expect(",")
            self.skip_space()

    def name(self) -> str:
        name = ""
        while True:
            char = self.peek()
            end = self.at + 1
            if char == "\\":
                char, end = self.unicode_escape()
            if not char or (_KEY_CHAR if name else _KEY_START).fullmatch(char) is None:
                break
            name += char
            self.at = end
        if not name:
            raise CodecError(f"expected a key, found {self.peek() or 'the end'!r}")
        return name

    def unicode_escape(self) -> tuple[str, int]:
        if self.text[self.at + 1 : self.at + 2] != "u":
            raise CodecError("a key holds a backslash")
        return self.hex_char(self.at + 2, 4), self.at + 6

    def hex_char(self, at: int, digits: int) -> str:
        code = self.text[at : at + digits]
        if len(code) != digits or not all(char in "0123456789abcdefABCDEF" for char in code):
            raise CodecError("an escape lacks its digits")
        return chr(int(code, 16))

    def string(self) -> str:
        quote = self.peek()
        self.at += 1
        pieces: list[str] = []
        while not self.take(quote):
            plain = _PLAIN_CHARS.match(self.text, self.at)
            if plain is not None:
                pieces.append(plain[0])
                self.at = plain.end()
                continue
            char = self.peek()
            if not char or char in "\n\r":
                raise CodecError("a text never ends")
            self.at += 1
            pieces.append(self.escape() if char == "\\" else char)
        return "".join(pieces)

    def escape(self) -> str:
        char = self.peek()
        self.at += 1
        if char == "":
            raise CodecError("a text never ends")
        if char in _FROM_SHORT:
            return _FROM_SHORT[char]
        if char in "xu":
            digits = 2 if char == "x" else 4
            found = self.hex_char(self.at, digits)
            self.at += digits
            return found
        if char == "0" and not self.peek().isdigit():
            return "\0"
        if char.isdigit() and char.isascii():
            raise CodecError("a text holds an octal escape")
        if char == "\r":
            self.take("\n")
        return "" if char in _LINE_ENDS else char

    def number(self) -> JsonValue:
        negative = self.peek() == "-"
        if self.peek() in "+-":
            self.at += 1
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            word = self.word()
            if not isinstance(word, float):
                raise CodecError("a sign without a number")
            return -word if negative else word
        self.at = found.end()
        if _KEY_CHAR.fullmatch(self.peek()):
            raise CodecError(f"{found[0] + self.peek()!r} is no number")
        number = _number_of(found[0])
        if negative:
            return -0.0 if number == 0 else -number
        return number

    def word(self) -> JsonValue:
        start = self.at
        while self.peek() and _KEY_CHAR.fullmatch(self.peek()):
            self.at += 1
        word = self.text[start : self.at]
        if word not in _WORDS:
            raise CodecError(f"unexpected {word or self.peek() or 'end'!r}")
        return _WORDS[word]


def _number_of(text: str) -> int | float:
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    if text.isdigit() and len(text) < 300:
        return int(text)
    double = float(text)
    return int(double) if isfinite(double) and double == int(double) and abs(double) < 1e15 else double
