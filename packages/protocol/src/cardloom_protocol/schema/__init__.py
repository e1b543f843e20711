"""The JSON Schema subset: check a schema, compile it, check values against it."""

from .compile import CompiledSchema as CompiledSchema
from .compile import compile_schema as compile_schema
from .definition import TYPES as TYPES
from .definition import check_definition as check_definition
from .formats import FORMATS as FORMATS
from .issue import Issue as Issue
from .issue import pointer as pointer
from .pattern import is_pattern as is_pattern
from .plain import kind_of as kind_of
from .plain import plain_issue as plain_issue
