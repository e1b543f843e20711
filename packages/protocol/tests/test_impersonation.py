"""Packages that give themselves out for somebody else's."""

import pytest

from cardloom_protocol.manifest import Manifest, parse_manifest
from cardloom_protocol.manifest.impersonation import impersonations


def manifest(**fields: object) -> Manifest:
    raw = {"manifestVersion": 1, "name": "pantry", "displayName": "Pantry", "version": "1.0.0", "protocol": 1}
    result = parse_manifest({**raw, **fields})
    assert result.manifest is not None, result.issues
    return result.manifest


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"displayName": "NeuroSquad Board"}, "/displayName"),
        ({"displayName": "Neuro-Squad Board"}, "/displayName"),
        ({"displayName": "N e u r o s q u a d"}, "/displayName"),
        ({"displayName": "\uff2e\uff45\uff55\uff52\uff4f\uff53\uff51\uff55\uff41\uff44"}, "/displayName"),
        ({"displayName": "The O.F.F.I.C.I.A.L. clock"}, "/displayName"),
        ({"displayName": {"en": "Clock", "ru": "Clock (Verified)"}}, "/displayName/ru"),
        ({"displayName": "Cardloom Clock"}, "/displayName"),
        ({"author": {"name": "Verified by us"}}, "/author/name"),
        ({"author": {"name": "neurosquad"}}, "/author/name"),
    ],
)
def test_a_name_that_claims_an_office_is_reported_at_its_place(fields: dict[str, object], path: str) -> None:
    assert [issue.path for issue in impersonations(manifest(**fields))] == [path]


def test_every_claim_is_reported() -> None:
    claims = impersonations(manifest(displayName={"en": "Official", "zh": "verified"}, author={"name": "Cardloom"}))
    assert [issue.path for issue in claims] == ["/displayName/en", "/displayName/zh", "/author/name"]


def test_other_names_and_other_fields_claim_nothing() -> None:
    assert impersonations(manifest(author={"name": "Ann Squad"}, description="Not official.")) == ()
