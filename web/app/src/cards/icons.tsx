import {
  ChatBubbleLeftRightIcon,
  BanknotesIcon,
  CommandLineIcon,
  CubeIcon,
  DocumentTextIcon,
  ListBulletIcon,
  PuzzlePieceIcon,
  SparklesIcon,
  ViewColumnsIcon,
} from "@heroicons/react/24/outline";
import type { ComponentType, SVGProps } from "react";
import type { CardKind, IconProps } from "./contract";

type Drawn = ComponentType<SVGProps<SVGSVGElement>>;

/** An icon of the set at the size the page asks for; it says nothing that the words beside it do not. */
export function sized(Icon: Drawn): ComponentType<IconProps> {
  return function SizedIcon({ size = 16 }: IconProps) {
    return <Icon width={size} height={size} aria-hidden="true" />;
  };
}

/** A square of paper with a turned corner. The set has none. */
function StickyIcon(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" {...props}>
      <path d="M5.25 3.75h13.5a1.5 1.5 0 0 1 1.5 1.5v9l-6 6h-9a1.5 1.5 0 0 1-1.5-1.5V5.25a1.5 1.5 0 0 1 1.5-1.5Z" />
      <path d="M20.25 14.25h-4.5a1.5 1.5 0 0 0-1.5 1.5v4.5" />
    </svg>
  );
}

export const kindIcons: Record<CardKind, ComponentType<IconProps>> = {
  note: sized(DocumentTextIcon),
  todo: sized(ListBulletIcon),
  kanban: sized(ViewColumnsIcon),
  sticky: sized(StickyIcon),
  terminal: sized(CommandLineIcon),
  agent: sized(SparklesIcon),
  budget: sized(BanknotesIcon),
  chat: sized(ChatBubbleLeftRightIcon),
  custom: sized(PuzzlePieceIcon),
  other: sized(CubeIcon),
};
