"""Which web addresses and headers a card's request may have: the questions in their order, the same in every host.

What a name resolves to is for the host to check when it connects. Spec: cards, network; decision 15.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import CallError, ErrorCode
from ..hosts import DEFAULT_PORT, header_allowed, is_local_host, matches, secret_names
from ..jstext import JsonValue
from .gate import permission_denied

_USUAL_PORTS = {"https": DEFAULT_PORT, "http": 80}


@dataclass(frozen=True, slots=True)
class WebAddress:
    """As much of a URL as decides: `host` without brackets, `port` None for the scheme's own."""

    scheme: str
    host: str
    port: int | None = None
    has_login: bool = False

    @property
    def effective_port(self) -> int:
        """The port that is meant; 0 for a scheme that has none of its own."""
        return self.port if self.port is not None else _USUAL_PORTS.get(self.scheme, 0)

    @property
    def is_local(self) -> bool:
        """Whether it names this computer."""
        return is_local_host(self.host)


@dataclass(frozen=True, slots=True)
class NetworkGrant:
    """What a card may reach: the declared hosts, whether `network` is granted for them, and `network.local`."""

    hosts: tuple[str, ...] = ()
    network: bool = False
    local: bool = False


def check_address(address: WebAddress, grant: NetworkGrant) -> CallError | None:
    """Why a request may not go there, None when it may. Asked again at every redirect.

    INVALID_PARAMS: a name or password in it, or no host. PERMISSION_DENIED: the permission is not granted.
    HOST_NOT_ALLOWED: the scheme, or a host that was not declared.
    """
    if address.has_login:
        return _unfit("An address must not hold a name or a password.")
    if address.is_local:
        if not grant.local:
            return permission_denied("network.local")
        if address.scheme not in ("http", "https"):
            return _not_allowed(f"{address.scheme}: addresses of this computer are http or https.")
        return None
    if address.scheme != "https":
        return _not_allowed("Only https reaches beyond this computer.")
    if not address.host:
        return _unfit("The address names no host.")
    if not matches(grant.hosts, address.host, address.effective_port):
        return _not_allowed(f"The manifest does not name {address.host} on port {address.effective_port}.")
    return None if grant.network else permission_denied("network")


def check_headers(headers: Mapping[str, str]) -> CallError | None:
    """INVALID_PARAMS naming every header that a card may not send, None when all may go."""
    issues: list[JsonValue] = [
        {"path": f"/headers/{_pointer(name)}", "keyword": "header", "message": "A card cannot send this header."}
        for name, value in headers.items()
        if not header_allowed(name, value)
    ]
    if not issues:
        return None
    return CallError(ErrorCode.INVALID_PARAMS, "headers: some cannot be sent by a card", issues)


def named_secrets(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The keys of all secrets that header values ask for, each once, in order."""
    return tuple(dict.fromkeys(key for value in headers.values() for key in secret_names(value)))


def _pointer(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _unfit(message: str) -> CallError:
    return CallError(ErrorCode.INVALID_PARAMS, message, [{"path": "/url", "keyword": "url", "message": message}])


def _not_allowed(message: str) -> CallError:
    return CallError(ErrorCode.HOST_NOT_ALLOWED, message)
