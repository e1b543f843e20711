"""Which files look as if they held credentials: by their names, and by what stands in them.

A guess that errs on the side of refusing: a key that was published once has to be replaced everywhere. Spec: cards,
pack.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Final

_NAMES: Final = (
    ".env",
    ".env.*",
    "*.env",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".htpasswd",
    ".git-credentials",
    "credentials",
    "credentials.json",
    "secrets.json",
    "service-account*.json",
)
_FOLDERS: Final = frozenset((".ssh", ".aws", ".gnupg", ".kube", ".docker"))
_EXAMPLES: Final = (".env.example", ".env.sample", ".env.template")

_CONTENTS: Final = (
    ("a private key", re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")),
    ("a GitHub token", re.compile(rb"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{36})")),
    ("a GitLab token", re.compile(rb"\bglpat-[A-Za-z0-9_-]{20}")),
    ("an AWS access key", re.compile(rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a Google API key", re.compile(rb"\bAIza[0-9A-Za-z_-]{35}")),
    ("a Slack token", re.compile(rb"\bxox[abprs]-[0-9A-Za-z-]{20}")),
    ("an npm token", re.compile(rb"\bnpm_[A-Za-z0-9]{36}")),
    ("an API key of a model's provider", re.compile(rb"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32}")),
)


def credential_in_name(path: str) -> str | None:
    """Why a package path looks like a file of credentials; None when it does not."""
    *folders, name = path.lower().split("/")
    kept = next((folder for folder in folders if folder in _FOLDERS), None)
    if kept is not None:
        return f"it lies in {kept}, where credentials are kept"
    if name not in _EXAMPLES and any(fnmatchcase(name, pattern) for pattern in _NAMES):
        return "its name is one that files of credentials have"
    return None


def credential_in_content(content: bytes) -> str | None:
    """What a file's content looks like, as `a GitHub token`; None when like nothing secret."""
    return next((what for what, pattern in _CONTENTS if pattern.search(content) is not None), None)
