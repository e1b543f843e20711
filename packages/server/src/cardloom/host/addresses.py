"""Where a name leads, and whether that is the open internet: asked before every connection that a card causes.

Spec: decision 15 (names that resolve to loopback, private, link-local or multicast addresses).
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from cardloom_protocol.hosts import is_local_host

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve: TypeAlias = Callable[[str], Awaitable[list[str]]]
"""Gives the addresses of a name, the preferred first. OSError when it has none."""

LOOPBACK: Final = ("127.0.0.1", "::1")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")


async def addresses_of(host: str, resolve: Resolve) -> list[IpAddress]:
    """The addresses of a host. Names of this computer are never looked up. OSError when there are none."""
    if is_local_host(host):
        literal = _literal(host)
        return [literal] if literal is not None else [ipaddress.ip_address(one) for one in LOOPBACK]
    literal = _literal(host)
    if literal is not None:
        return [literal]
    found = list(dict.fromkeys(ipaddress.ip_address(one.partition("%")[0]) for one in await resolve(host)))
    if not found:
        raise OSError(f"{host} has no address")
    return found


def is_open(address: IpAddress) -> bool:
    """Whether an address lies in the open internet: not this computer, not its network, no group of machines.

    An IPv4 address inside an IPv6 one (mapped, translated, tunnelled) is what counts.
    """
    inner = _inner(address)
    if inner is not None:
        return is_open(inner)
    if isinstance(address, ipaddress.IPv6Address) and address.is_site_local:
        return False
    return address.is_global and not address.is_multicast


async def system_resolve(host: str) -> list[str]:
    """What the system's resolver says."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def _inner(address: IpAddress) -> IpAddress | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64 or address in _COMPATIBLE:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _literal(host: str) -> IpAddress | None:
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
