"""The permission table, manifest lists and the view of a card."""

import pytest

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.permissions import PERMISSIONS, Permission, closure, parse_list, view


def test_every_implied_permission_exists() -> None:
    assert {implied for kind in PERMISSIONS.values() for implied in kind.implies} <= PERMISSIONS.keys()


def test_the_closure_adds_what_is_implied() -> None:
    assert closure(["agents.prompt", "fs.write"]) == {"agents.prompt", "agents.read", "fs.write", "fs.read"}


def test_entries_of_one_id_merge_into_one_permission() -> None:
    entries: list[JsonValue] = [
        {"id": "network", "optional": True, "reason": "", "hosts": ["b.example.org:443"]},
        {"id": "network", "optional": True, "reason": "Weather.", "hosts": ["a.example.org", "b.example.org"]},
    ]
    merged = Permission("network", True, "Weather.", ("a.example.org", "b.example.org"))
    assert parse_list(entries) == ((merged,), [])


def test_one_required_entry_makes_the_permission_required() -> None:
    permissions, _ = parse_list([{"id": "fs.read", "optional": True}, "fs.read"])
    assert permissions == (Permission("fs.read"),)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("fly", "no permission 'fly'"),
        ("network", "has to name the hosts"),
        ({"id": "network", "hosts": ["BAD"]}, "'BAD' is no host pattern"),
        ({"id": "fs.read", "hosts": []}, "fs.read takes no hosts"),
    ],
)
def test_a_fault_is_reported_at_the_index_of_its_entry(entry: JsonValue, said: str) -> None:
    _, issues = parse_list(["background", entry])
    assert [issue.index for issue in issues] == [1]
    assert said in issues[0].message


def test_hosts_are_counted_over_all_entries_of_the_permission() -> None:
    entries: list[JsonValue] = [{"id": "network", "hosts": [f"{letter}.example.org"]} for letter in "abc"]
    assert parse_list(entries, max_hosts=3)[1] == []
    assert [issue.index for issue in parse_list(entries, max_hosts=2)[1]] == [2]


def test_a_card_sees_literal_grants_and_reasons_in_its_language() -> None:
    declared = [
        Permission("fs.read", reason={"en": "Notes", "ru": "Заметки"}),
        Permission("network", optional=True, hosts=("a.example.org",)),
    ]
    assert view(declared, {"network", "fs.write"}, "ru") == [
        {"id": "fs.read", "optional": False, "granted": False, "reason": "Заметки"},
        {"id": "network", "hosts": ["a.example.org"], "optional": True, "granted": True},
    ]


def test_a_permission_survives_the_wire() -> None:
    permission = Permission("network", True, {"en": "Why"}, ("a.example.org",))
    assert Permission.from_wire(permission.to_wire()) == permission
