"""One fault of a value or of a schema, and the pointers that name its place."""

from dataclasses import dataclass

from ..jstext import JsonValue


@dataclass(frozen=True, slots=True)
class Issue:
    """What is wrong where: `path` is a JSON pointer ("" is the root), `keyword` the rule, `message` for people."""

    path: str
    keyword: str
    message: str

    def to_wire(self) -> dict[str, JsonValue]:
        """The issue as it travels in an error's data."""
        return {"path": self.path, "keyword": self.keyword, "message": self.message}


def pointer(parent: str, key: str | int) -> str:
    """The JSON pointer of a member of the value at `parent`."""
    if isinstance(key, str) and ("~" in key or "/" in key):
        key = key.replace("~", "~0").replace("/", "~1")
    return f"{parent}/{key}"
