import pytest

from cardloom_protocol.schema.pattern import found, is_pattern
from cardloom_protocol.schema.unicode import END, complement, property_set, union


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("^a$", "a\n", False),
        ("^.$", "\u2028", False),
        ("^.$", "😀", True),
        ("^.$", "\ud83d" + "\ude00", True),
        ("^\\d\\w\\s$", "1_\ufeff", True),
        ("^\\w$", "é", False),
        ("^\\S$", "\x85", True),
        ("^\\p{Lu}\\p{Script=Cyrillic}$", "Яж", True),
        ("^\\P{L}$", "a", False),
        ("^\\p{Emoji_Presentation}$", "😀", True),
        ("^[\\p{Nd}_-]+$", "٣_-", True),
        ("^[^]$", "\n", True),
        ("[]", "a", False),
        ("^[\\b]$", "\b", True),
        ("^[😀-😂]$", "😁", True),
        ("^\\u{1F600}\\ud83d\\ude00\\x41\\u0042\\cA\\0$", "😀😀AB\x01\x00", True),
        ("^(?<x>a|b)\\k<x>\\1$", "bbb", True),
        ("^(?:(a)|b)\\1c$", "bc", True),
        ("^\\1(a)$", "a", True),
        ("^a{2}b{1,}c{0,1}?$", "aabb", True),
        ("(?<=a)b(?!c)", "abd", True),
        ("(?<!a)b", "ab", False),
        ("\\Bb", "ab", True),
        ("^\\B$", "", True),
    ],
)
def test_a_pattern_finds_what_a_browser_finds(source: str, text: str, expected: bool) -> None:
    assert found(source, text) is expected


@pytest.mark.parametrize(
    "source",
    [
        *("(", ")", "[", "]", "{", "}", "*", "a**", "a{2", "a{,2}", "a{2,1}", "(?i)a", "(?P<x>a)", "(?=a)*", "^*"),
        *("\\-", "\\_", "\\q", "\\k", "\\k<x>", "\\1", "\\01", "\\c", "\\x1", "\\u12", "\\u{110000}", "\\p{Nope}"),
        *("\\p{sc=Nope}", "\\p{}", "[z-a]", "[\\d-a]", "[\\B]", "(?<x>a)(?<x>b)", "(?<1>a)", "\\", "a++", "(?:a"),
    ],
)
def test_what_a_browser_refuses_is_no_pattern_and_never_found(source: str) -> None:
    assert not is_pattern(source)
    assert not found(source, source)


def test_a_look_behind_of_variable_width_counts_as_invalid() -> None:
    assert not is_pattern("(?<=a+)b")


def test_unicode_properties_know_long_and_short_names() -> None:
    assert property_set("Lu") == property_set("gc=Uppercase_Letter") == property_set("General_Category=Lu")
    assert property_set("sc=Grek") == property_set("Script=Greek")
    assert property_set("scx=Grek") != property_set("sc=Grek")
    assert property_set("Any") == (0, END)
    assert property_set("Lowercase") == property_set("Lower")
    assert property_set("nope=Lu") is None
    assert property_set("L") == union([property_set(part) or () for part in ("Lu", "Ll", "Lt", "Lm", "Lo")])
    assert property_set("Assigned") == complement(property_set("Cn") or ())


def test_sets_are_complemented_and_united() -> None:
    assert complement(()) == (0, END)
    assert complement((0, 5, 7, END)) == (5, 7)
    assert union([(0, 5), (5, 7), (3, 4), (9, 10)]) == (0, 7, 9, 10)
