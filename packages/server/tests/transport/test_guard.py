"""The guard in front of scripts: it never changes what a script means, and nothing runs before it."""

from __future__ import annotations

import pytest

from cardloom.transport.guard import GUARD, TAKEN_AWAY, guarded


def test_the_guard_is_one_line_that_can_stand_inside_html() -> None:
    assert not set(GUARD) & set("\n\r<&\u2028\u2029")
    assert GUARD.endswith(";")
    assert all(f'"{name}"' in GUARD for name in TAKEN_AWAY)


@pytest.mark.parametrize(
    "script",
    [
        '"use strict"; x()',
        "'use strict'\nx()",
        '/* licence */ // more\n"use strict";\nx()',
        '"use asm"; "use strict"; x()',
        '\ufeff"use strict"\n',
        '"use strict"',
        "#!/usr/bin/env node\n'use strict';x()",
    ],
)
def test_a_strict_script_stays_strict(script: str) -> None:
    assert guarded(script).startswith(f'"use strict";{GUARD}')


@pytest.mark.parametrize(
    "script",
    [
        "x()",
        "",
        '"use strict".length',
        '"use strict"\n.length',
        '"use strict" + x',
        'const a = 1; "use strict";',
        '("use strict"); x()',
        '"use strict\\x20";',
        "// 'use strict'\nx()",
        '"not strict"; x()',
        "`use strict`; x()",
    ],
)
def test_a_sloppy_script_stays_sloppy(script: str) -> None:
    assert guarded(script) == GUARD + script


def test_a_hash_bang_line_becomes_a_comment_on_the_same_line() -> None:
    assert guarded("#!/usr/bin/env node\nx()") == f"{GUARD}///usr/bin/env node\nx()"


def test_no_line_moves() -> None:
    assert guarded("a()\nb()\n").split("\n")[1:] == ["b()", ""]


def test_endless_comments_and_strings_are_read_once() -> None:
    length = 200_000
    assert guarded("/* " * length).startswith(GUARD)
    assert guarded('"x";' * length).startswith(GUARD)
    assert guarded(" \n" * length).startswith(GUARD)
