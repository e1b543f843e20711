import { expect, test } from "vitest";
import { fileHtml } from "./markdownFile";

test("a link to a file names it from the workspace's folder, with its line", () => {
  expect(fileHtml("[there](../src/a.ts#L3)", "docs")).toContain('<a href="#" data-file="src/a.ts" data-line="3">there</a>');
});

test("a picture of the workspace is a link that opens it", () => {
  expect(fileHtml("![the \"logo\"](logo.png)", "docs")).toContain(
    '<a href="#" data-file="docs/logo.png" class="picture-link">the &quot;logo&quot;</a>',
  );
});

test("a link out of the workspace or to a heading is words alone", () => {
  expect(fileHtml("[up](../../x) [part](#part)", "docs")).toContain("<a>up</a> <a>part</a>");
});

test("other links are those of a note", () => {
  expect(fileHtml("[site](https://example.org)", "")).toContain('<a href="https://example.org" target="_blank"');
  expect(fileHtml("[no](javascript:alert(1)) [no](/etc/passwd) <b>x</b>", "")).not.toMatch(/<a |<b>/);
});
