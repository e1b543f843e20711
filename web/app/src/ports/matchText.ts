import type { Translate } from "../i18n/catalogue";
import type { Card } from "../wire/records";
import { shortType } from "./families";
import { portLabel } from "./portLabel";
import type { Match } from "./flows";

/** What an arrow between two cards would do, or why it would do nothing. */
export function matchText(t: Translate, match: Match, from: Card, to: Card): string {
  if (match.fits) {
    if (match.flow === null) return t("match.asks");
    const { output, input } = match.flow;
    return t("match.fits", { output: portLabel(t, from, output), input: portLabel(t, to, input), type: shortType(output.type) });
  }
  switch (match.reason) {
    case "self":
      return t("match.self");
    case "twice":
      return t("match.twice", { from: from.name, to: to.name });
    case "sender":
      return t("match.sender", { from: from.name });
    case "receiver":
      return t("match.receiver", { to: to.name });
    case "reversed":
      return t("match.reversed", { from: from.name, to: to.name });
    case "types":
      return t("match.types", { to: to.name, types: typesOf(from) });
  }
}

function typesOf(card: Card): string {
  return [...new Set(card.ports.outputs.map((port) => shortType(port.type)))].join(", ");
}
