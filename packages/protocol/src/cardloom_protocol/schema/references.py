"""Where a `$ref` leads: the whole schema or one of its definitions, nothing else."""

from collections.abc import Mapping
from typing import Final

_DEFINITIONS: Final = "#/$defs/"


def resolve(root: Mapping[str, object], reference: object) -> Mapping[str, object] | None:
    """The schema that `#` or `#/$defs/NAME` names in `root`; None when there is none.

    NAME is one segment of a JSON pointer; percent signs stand for themselves.
    """
    if not isinstance(reference, str):
        return None
    if reference == "#":
        return root
    name = reference.removeprefix(_DEFINITIONS)
    definitions = root.get("$defs")
    if name == reference or "/" in name or not isinstance(definitions, dict):
        return None
    target = definitions.get(name.replace("~1", "/").replace("~0", "~"))
    return target if isinstance(target, dict) else None
