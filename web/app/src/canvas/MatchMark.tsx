import { inputForFile, sendingText } from "../files/sending";
import { arrowBetween } from "../state/canvas";
import { useStore } from "../state/store";
import { useSession, useT } from "../shell/context";
import { familyOf, type TypeFamily } from "../ports/families";
import { matchCards } from "../ports/flows";
import { matchText } from "../ports/matchText";

export interface CardMatch {
  role: "is-origin" | "is-fit" | "is-misfit";
  targeted: boolean;
  family: TypeFamily;
  text: string;
}

/** How a card answers to the arrow being drawn or the file being carried; null while there is neither. */
export function useMatch(cardId: string): CardMatch | null {
  const session = useSession();
  const t = useT();
  // Two plain values, so that a card renders again only when its own part changes.
  const originId = useStore(session.ui, (ui) => (ui.drawing === null ? null : ui.drawing.cardId));
  const outgoing = useStore(session.ui, (ui) => ui.drawing?.outgoing === true);
  const targeted = useStore(session.ui, (ui) => ui.drawing?.targetId === cardId);
  const carried = useStore(session.ui, (ui) => ui.carrying !== null);
  const under = useStore(session.ui, (ui) => ui.carrying?.targetId === cardId);
  if (carried) {
    const card = session.canvas.get()?.cards.get(cardId);
    if (card === undefined) return null;
    const input = inputForFile(card);
    const family = input === null ? "any" : "media";
    return { role: input === null ? "is-misfit" : "is-fit", targeted: under, family, text: sendingText(t, card) };
  }
  if (originId === null) return null;
  if (originId === cardId) return { role: "is-origin", targeted: false, family: "any", text: "" };
  const state = session.canvas.get();
  const origin = state?.cards.get(originId);
  const other = state?.cards.get(cardId);
  if (state === null || origin === undefined || other === undefined) return null;
  const [from, to] = outgoing ? [origin, other] : [other, origin];
  const match = matchCards(from, to, arrowBetween(state, originId, cardId) !== null);
  return {
    role: match.fits ? "is-fit" : "is-misfit",
    targeted,
    family: match.flow === null ? "any" : familyOf(match.flow.output.type),
    text: matchText(t, match, from, to),
  };
}

export function MatchMark({ match }: { match: CardMatch }) {
  if (match.role === "is-origin") return null;
  const classes = `match type-${match.family} ${match.targeted ? "is-targeted" : ""}`;
  return (
    <div className={classes} role={match.targeted ? "status" : undefined}>
      {match.text}
    </div>
  );
}
