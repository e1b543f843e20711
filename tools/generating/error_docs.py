"""The sentence under each error code, read from the source where it stands as a docstring."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from itertools import pairwise

from cardloom_protocol.errors import ErrorCode


def error_docs() -> dict[str, str]:
    """Every code with what its docstring says, in the order of the table. KeyError names a code without one."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(ErrorCode)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    found: dict[str, str] = {}
    for member, doc in pairwise(body):
        if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
            match doc:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    found[member.targets[0].id] = re.sub(r"\s+", " ", text).strip()
    return {code.value: found[code.name] for code in ErrorCode}
