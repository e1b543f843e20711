"""Where names lead, and what of it is the open internet."""

from __future__ import annotations

import ipaddress

import pytest

from cardloom.host.addresses import addresses_of, is_open


async def never(host: str) -> list[str]:
    raise AssertionError(f"{host} was looked up")


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("localhost", ["127.0.0.1", "::1"]),
        ("app.LOCALHOST.", ["127.0.0.1", "::1"]),
        ("127.0.0.1", ["127.0.0.1"]),
        ("[::1]", ["::1"]),
        ("93.184.216.34", ["93.184.216.34"]),
        ("10.0.0.1", ["10.0.0.1"]),
    ],
)
async def test_this_computer_and_addresses_are_never_looked_up(host: str, addresses: list[str]) -> None:
    assert [str(one) for one in await addresses_of(host, never)] == addresses


async def test_a_name_has_the_addresses_of_the_resolver_each_once_without_their_zone() -> None:
    async def resolve(_host: str) -> list[str]:
        return ["93.184.216.34", "fe80::1%eth0", "93.184.216.34"]

    assert [str(one) for one in await addresses_of("a.example.org", resolve)] == ["93.184.216.34", "fe80::1"]


async def test_a_name_without_addresses_is_an_error() -> None:
    async def resolve(_host: str) -> list[str]:
        return []

    with pytest.raises(OSError, match="no address"):
        await addresses_of("a.example.org", resolve)


@pytest.mark.parametrize("text", ["93.184.216.34", "2606:2800:220:1::1946", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_the_open_internet_is_open(text: str) -> None:
    assert is_open(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1",
        "127.8.9.10",
        "0.0.0.0",
        "10.1.2.3",
        "172.31.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.1.1.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "fec0::1",
        "ff0e::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::1",
        "2001:0:0:0:0:0:80ff:fffe",
    ],
)
def test_this_computer_its_network_and_groups_are_not(text: str) -> None:
    assert not is_open(ipaddress.ip_address(text))
