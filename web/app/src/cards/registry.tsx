import type { CardBodies, CardBody, CardBodyProps } from "./contract";

function Plain({ card }: CardBodyProps) {
  return <p>{card.name}</p>;
}

function plain(label: CardBody["label"]): CardBody {
  return {
    component: Plain,
    icon: () => null,
    label,
    defaultSize: { w: 300, h: 220 },
    minSize: { w: 160, h: 90 },
    overview: (card) => ({ primary: card.name }),
  };
}

/** What draws each kind of card. */
export const cardBodies: CardBodies = {
  note: plain("kind.note"),
  todo: plain("kind.todo"),
  kanban: plain("kind.kanban"),
  sticky: plain("kind.sticky"),
  terminal: plain("kind.terminal"),
  custom: plain("kind.custom"),
  other: plain("kind.other"),
};
