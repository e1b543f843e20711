/** What a server answers, and how the board shows it: values in, values out. */

export const COLUMNS = ["open", "active", "closed"];
const ACTIVE_LABEL = "in progress";

/** Where the issues of a repository are; throws when the settings do not say. */
export function addressOf({ server, repository }) {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository ?? "")) throw new Error("repository");
  return `${String(server).replace(/\/+$/, "")}/repos/${repository}/issues?state=all&per_page=100`;
}

/** The issues of an answer; pull requests, which GitHub lists among them, are left out. */
export function issuesOf(answer) {
  if (!Array.isArray(answer)) throw new Error("answer");
  return answer
    .filter((one) => one.pull_request === undefined)
    .map(({ number, title, state, labels = [], assignee, html_url }) => ({
      number,
      title: String(title),
      column: columnOf(state, labels),
      assignee: assignee?.login ?? null,
      url: typeof html_url === "string" ? html_url : null,
    }));
}

function columnOf(state, labels) {
  if (state === "closed") return "closed";
  return labels.some((label) => String(label.name ?? label).toLowerCase() === ACTIVE_LABEL) ? "active" : "open";
}

/** The issues that are not closed, as the output has them. */
export function tasksOf(issues) {
  return issues
    .filter(({ column }) => column !== "closed")
    .slice(0, 200)
    .map(({ number, title, column, assignee }) => ({
      id: String(number),
      text: `#${number} ${title}`.slice(0, 500),
      status: column === "active" ? "active" : "pending",
      ...(assignee !== null && { assignee }),
    }));
}
