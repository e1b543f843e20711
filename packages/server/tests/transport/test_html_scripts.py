"""Scripts are found where a browser finds them, in every page and in one pass."""

from __future__ import annotations

import pytest

from cardloom.transport.html_scripts import inline_scripts

MANY = 200_000


def found(page: str) -> list[str]:
    return [page[script.begin : script.end] for script in inline_scripts(page)]


@pytest.mark.parametrize(
    ("page", "scripts"),
    [
        ("<script>a()</script><p><SCRIPT type=module>b()</Script >", ["a()", "b()"]),
        ("<script\n>if (a</b/) {}</script/>", ["if (a</b/) {}"]),
        ("<script></scripted></script>", ["</scripted>"]),
        ("<script src=x.js></script><script SRC>a()</script>", []),
        ("<script>a()", []),
        ("<script title='>'>a()</script>", ["a()"]),
        ("<script title=a'>a()</script>", ["a()"]),
        ("<script =a>a()</script><script a = b / >b()</script>", ["a()", "b()"]),
        ("<scripts>a()</scripts><script\u00a0src=x>b()</script>", []),
        ("<!-- <script>a()</script> --><script>b()</script>", ["b()"]),
        ("<!--><script>a()</script><!---><script>b()</script><!-- x --!><script>c()</script>", ["a()", "b()", "c()"]),
        ("<!-- <script>a()</script>", []),
        ("<![x <script>a()</script>", []),
        ("<![CDATA[ > <script>a()</script><? > <script>b()</script>", ["a()", "b()"]),
        ("</ <script>a()</script>", []),
        ("a < b <script>a()</script> <3", ["a()"]),
        ("<a title='<script>a()</script>'><script>b()</script>", ["b()"]),
        ("<a title='<script>a()</script>", []),
        ("<textarea><script>a()</script></textarea><title><script></title><script>b()</script>", ["b()"]),
        ("</textarea x='<script>'><script>b()</script>", ["b()"]),
        ("<style><script></style><script>b()</script>", ["b()"]),
        ("<script>a()</\u017fcript></script>", ["a()</\u017fcript>"]),
    ],
)
def test_a_script_is_one_where_a_browser_takes_it_for_one(page: str, scripts: list[str]) -> None:
    assert found(page) == scripts


def test_the_first_attribute_of_a_name_counts_and_is_read_as_a_browser_reads_it() -> None:
    (script,) = inline_scripts("<script TYPE=text&#x2f;javascript type='module' defer a='x y'></script>")
    assert script.attributes == {"type": "text/javascript", "defer": "", "a": "x y"}


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<![", "<!", "<?", "</", "</a ", "<a ", "<a a='", '<a a="b" ', "<a =", "<a/", "<script>", "<script></",
     "<script ", "<title>", "<textarea><!--", "<!-- x --", "&#", "<a \n"],
)  # fmt: skip
def test_no_page_takes_more_than_one_pass(piece: str) -> None:
    assert found(piece * MANY) == []
