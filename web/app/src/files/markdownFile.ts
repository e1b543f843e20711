import { makeMarkdown } from "../cards/note/markdown";
import { linkedFile } from "./fileRef";

const isRemote = /^(?:[a-z][a-z0-9+.-]*:|\/|\\)/i;
const markdown = makeMarkdown((address) => !isRemote.test(address.trim()));

const remoteLink = markdown.renderer.rules["link_open"];
markdown.renderer.rules["link_open"] = (tokens, index, options, env, self) => {
  const token = tokens[index];
  const address = String(token?.attrGet("href") ?? "");
  if (token === undefined || isRemote.test(address)) return remoteLink?.(tokens, index, options, env, self) ?? "";
  const file = linkedFile(folderOf(env), address);
  // Where a link leads nowhere that could be shown, its words stay.
  token.attrs = file === null ? [] : fileMarks(file);
  return self.renderToken(tokens, index, options);
};

const inlineImage = markdown.renderer.rules["image"];
markdown.renderer.rules["image"] = (tokens, index, options, env, self) => {
  const token = tokens[index];
  const file = linkedFile(folderOf(env), String(token?.attrGet("src") ?? ""));
  if (token === undefined || file === null) return inlineImage?.(tokens, index, options, env, self) ?? "";
  const escape = markdown.utils.escapeHtml;
  const marks = fileMarks(file).map(([name, value]) => ` ${name}="${escape(value)}"`);
  return `<a${marks.join("")} class="picture-link">${escape(token.content || file.path)}</a>`;
};

function folderOf(env: Readonly<Record<string, unknown>> | undefined): string {
  return String(env?.["folder"] ?? "");
}

function fileMarks({ path, line }: { path: string; line?: number }): [string, string][] {
  const marks: [string, string][] = [
    ["href", "#"],
    ["data-file", path],
  ];
  return line === undefined ? marks : [...marks, ["data-line", String(line)]];
}

/**
 * The HTML of a Markdown file in a folder of the workspace. As safe as a note's: HTML in it is shown as text and no
 * address is fetched; links to files name them in `data-file`, seen from the workspace's folder.
 */
export function fileHtml(text: string, folder: string): string {
  return markdown.render(text, { folder });
}
