"""The faults and warnings that reading a manifest collects, and the two checks every part of it shares."""

from dataclasses import dataclass, field

from ..jstext import JsonValue
from ..schema import check_definition
from ..texts import LocalizedText, forbidden_character, placed_texts
from .model import IssueCode, ManifestIssue, ManifestWarning


@dataclass(slots=True)
class Findings:
    """The faults and warnings collected so far."""

    issues: list[ManifestIssue] = field(default_factory=list)
    warnings: list[ManifestWarning] = field(default_factory=list)

    def add(self, path: str, message: str, code: IssueCode = "semantic") -> None:
        """Reports a fault."""
        self.issues.append(ManifestIssue(path, code, message))

    def warn(self, path: str, message: str) -> None:
        """Reports an oddity."""
        self.warnings.append(ManifestWarning(path, message))

    def check_text(self, path: str, text: LocalizedText | None, *, multiline: bool = False) -> None:
        """Reports each language of a text that holds a character texts cannot hold."""
        if text is None:
            return
        for place, one in placed_texts(path, text).items():
            char = forbidden_character(one, multiline=multiline)
            if char is not None:
                self.add(place, f"The text holds {char}, a control or invisible character.")

    def check_schema(self, path: str, schema: JsonValue) -> None:
        """Reports whatever keeps a card's own schema from being one."""
        for issue in check_definition(schema, allow_pattern=False):
            self.add(path + issue.path, issue.message)
