import MarkdownIt from "markdown-it";

/** Schemes that a link in a note may have; anything else stays text. */
const links = /^(?:https?:|mailto:)/i;
/** Pictures that are part of the text itself. Any other would call a stranger's server, so it becomes a link. */
const inlineImages = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

const box = /^\[([ xX])\]\s+/;

/** Markdown as it is shown here; `alsoLink` says which other addresses are links. */
export function makeMarkdown(alsoLink: (address: string) => boolean = () => false) {
  const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
  markdown.validateLink = (url) => links.test(url.trim()) || inlineImages.test(url.trim()) || alsoLink(url);

  markdown.renderer.rules["link_open"] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    token?.attrSet("target", "_blank");
    token?.attrSet("rel", "noopener noreferrer nofollow");
    return self.renderToken(tokens, index, options);
  };

  markdown.renderer.rules["image"] = (tokens, index) => {
    const token = tokens[index];
    const address = String(token?.attrGet("src") ?? "");
    const escape = markdown.utils.escapeHtml;
    const words = escape(token?.content || address);
    if (inlineImages.test(address)) return `<img src="${escape(address)}" alt="${words}">`;
    return `<a href="${escape(address)}" target="_blank" rel="noopener noreferrer nofollow" class="picture-link">${words}</a>`;
  };

  /** Turns the `[ ]` and `[x]` at the head of a list item into a box that shows its state. */
  markdown.core.ruler.after("inline", "task_boxes", (state) => {
    state.tokens.forEach((token, place) => {
      const item = state.tokens[place - 2];
      const first = token.children?.[0];
      if (token.type !== "inline" || item?.type !== "list_item_open" || first?.type !== "text") return;
      const found = box.exec(first.content);
      if (found === null) return;
      const done = found[1] !== " ";
      first.content = first.content.slice(found[0].length);
      item.attrJoin("class", "task");
      const mark = new state.Token("task_box", "", 0);
      mark.meta = { done };
      token.children?.unshift(mark);
    });
  });
  markdown.renderer.rules["task_box"] = (tokens, index) =>
    `<input type="checkbox" disabled${(tokens[index]?.meta as { done: boolean }).done ? " checked" : ""}> `;
  return markdown;
}

const markdown = makeMarkdown();

/**
 * The HTML of a note. HTML in the note is shown as text, links carry only safe schemes, and no address is fetched,
 * so the result may go into the page as it is.
 */
export function noteHtml(text: string): string {
  return markdown.render(text);
}
