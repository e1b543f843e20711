import { describe, expect, test } from "vitest";
import { blocksHtml, colouredHtml } from "./markdown";

describe("Markdown in blocks", () => {
  test("the blocks before the last stay the same while a text grows", () => {
    const text = "# Title\n\nFirst *words*.\n\n- one\n- two\n\n```python\nx = 1\n```\n\nThe end";
    const whole = blocksHtml(text);
    for (let length = 1; length <= text.length; length++) {
      const soFar = blocksHtml(text.slice(0, length));
      // A heading's underline or a list's next item may still change the last two.
      expect(soFar.slice(0, -2)).toEqual(whole.slice(0, Math.max(0, soFar.length - 2)));
    }
    expect(whole).toHaveLength(5);
  });

  test("code has its language, its colours and a way to copy it", () => {
    const [html] = blocksHtml("```python\nreturn 'a'\n```");
    expect(html).toContain('data-language="python"');
    expect(html).toContain("hljs-keyword");
    expect(html).toContain("data-copy");
  });

  test("an unknown language and an unfinished fence are shown as they are", () => {
    expect(blocksHtml("```klingon\nqapla' <b>\n")[0]).toContain("qapla' &lt;b&gt;");
  });

  test("HTML, scripts and addresses that call out stay text", () => {
    const html = blocksHtml('<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1))\n\n![p](https://far.example/x.png)').join("");
    expect(html).not.toContain("<img");
    expect(html).not.toContain('href="javascript');
    expect(html).toContain("picture-link");
  });

  test("a language's name can break out of nothing", () => {
    expect(blocksHtml('```"><script>\nx\n```')[0]).not.toContain("<script>");
  });

  test("very long code is not coloured", () => {
    expect(colouredHtml("return 1\n".repeat(10_000), "python")).not.toContain("hljs");
  });
});
