"""Signing in: with a password, or through the customer's company."""

import hashlib
import hmac
from dataclasses import dataclass, field


@dataclass
class Accounts:
    """Known customers by address, and the domains of companies that sign in for them."""

    companies: dict[str, str] = field(default_factory=dict)
    _digests: dict[str, bytes] = field(default_factory=dict)

    def register(self, address: str, password: str) -> None:
        if len(password) < 8:
            raise ValueError("a password has at least 8 characters")
        self._digests[address.lower()] = _digest(address, password)

    def sign_in(self, address: str, password: str) -> bool:
        """Whether the password is right; unknown addresses are no different from wrong passwords."""
        expected = self._digests.get(address.lower(), b"")
        return hmac.compare_digest(expected, _digest(address, password))

    def sso_company(self, address: str) -> str | None:
        """The company through which an address signs in, None for one that has none."""
        domain = address.rpartition("@")[2]
        return self.companies.get(domain)


def _digest(address: str, password: str) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", password.encode(), address.lower().encode(), 1000)
