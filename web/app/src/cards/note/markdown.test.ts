import { expect, test } from "vitest";
import { noteHtml } from "./markdown";

test("HTML in a note is shown, not run", () => {
  const html = noteHtml('<img src=x onerror="alert(1)"><script>alert(1)</script>');
  expect(html).not.toMatch(/<(img|script)/);
  expect(html).toContain("&lt;script&gt;");
});

test("a link opens apart and learns nothing of this page", () => {
  expect(noteHtml("[there](https://example.org)")).toContain(
    '<a href="https://example.org" target="_blank" rel="noopener noreferrer nofollow">there</a>',
  );
});

test.each(["javascript:alert(1)", "data:text/html,x", "vbscript:x", "/inside", "file:///etc/passwd"])(
  "%s is no link",
  (address) => {
    expect(noteHtml(`[there](${address})`)).not.toContain("<a ");
  },
);

test("a picture elsewhere is a link and is not fetched", () => {
  const html = noteHtml('![a "cat"](https://example.org/cat.png)');
  expect(html).not.toContain("<img");
  expect(html).toContain('href="https://example.org/cat.png"');
  expect(html).toContain("a &quot;cat&quot;");
});

test("a picture inside the text is shown", () => {
  expect(noteHtml("![dot](data:image/png;base64,AAAA)")).toContain('<img src="data:image/png;base64,AAAA" alt="dot">');
});

test("an image that can hold script is not shown", () => {
  expect(noteHtml("![x](data:image/svg+xml;base64,AAAA)")).not.toContain("<img");
});

test("task boxes show their state and cannot be ticked", () => {
  const html = noteHtml("- [x] done\n- [ ] open\n- [not] a box");
  expect(html).toContain('<li class="task"><input type="checkbox" disabled checked> done');
  expect(html).toContain('<li class="task"><input type="checkbox" disabled> open');
  expect(html).toContain("<li>[not] a box");
});

test("tables and struck text are known", () => {
  const html = noteHtml("| a | b |\n|---|---|\n| 1 | ~~2~~ |");
  expect(html).toContain("<table>");
  expect(html).toContain("<s>2</s>");
});
