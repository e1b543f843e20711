import hljs from "highlight.js/lib/common";
import type { Token } from "markdown-it";
import { makeMarkdown } from "../cards/note/markdown";

/** Longer code is shown without colours: finding them would hold the page up. */
const MAX_COLOURED = 40_000;
const coloured = new Map<string, string>();
const MAX_KEPT = 200;

const markdown = makeMarkdown();
const { escapeHtml } = markdown.utils;

markdown.renderer.rules["fence"] = (tokens, index) => {
  const token = tokens[index];
  const language = (token?.info ?? "").trim().split(/\s+/)[0] ?? "";
  return codeHtml(token?.content ?? "", language);
};
markdown.renderer.rules["code_block"] = (tokens, index) => codeHtml(tokens[index]?.content ?? "", "");
markdown.renderer.rules["table_open"] = () => '<div class="table"><table>';
markdown.renderer.rules["table_close"] = () => "</table></div>";

function codeHtml(code: string, language: string): string {
  const shown = escapeHtml(language);
  const head = `<figcaption><span>${shown}</span><button type="button" data-copy></button></figcaption>`;
  return `<figure class="code" data-language="${shown}">${head}<pre tabindex="0"><code>${colouredHtml(code, language)}</code></pre></figure>\n`;
}

/** Code as HTML, its words coloured where the language is known. */
export function colouredHtml(code: string, language: string): string {
  if (language === "" || code.length > MAX_COLOURED || hljs.getLanguage(language) === undefined) return escapeHtml(code);
  const key = `${language}\n${code}`;
  const known = coloured.get(key);
  if (known !== undefined) return known;
  const html = hljs.highlight(code, { language, ignoreIllegals: true }).value;
  if (coloured.size >= MAX_KEPT) coloured.delete(coloured.keys().next().value as string);
  coloured.set(key, html);
  return html;
}

/**
 * A text as HTML, one piece a paragraph, list, table or block of code.
 *
 * While a text grows only its last pieces change, so the others stay in the page untouched. As with notes the result may
 * go into the page as it is: HTML in the text is shown as text, and no address is fetched.
 */
export function blocksHtml(text: string): string[] {
  const env = {};
  const tokens = markdown.parse(text, env);
  const blocks: string[] = [];
  let from = 0;
  let depth = 0;
  tokens.forEach((token: Token, at) => {
    depth += token.nesting;
    if (depth > 0) return;
    blocks.push(markdown.renderer.render(tokens.slice(from, at + 1), markdown.options, env));
    from = at + 1;
  });
  return blocks;
}
