import type { ComponentType, MouseEvent, SVGProps } from "react";
import styles from "./parts.module.css";

interface IconButtonProps {
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  label: string;
  disabled?: boolean;
  /** Enter on the card clicks this button. */
  enter?: boolean;
  onClick(event: MouseEvent<HTMLButtonElement>): void;
}

/** A small button that shows only an icon and is named by its label. */
export function IconButton({ icon: Icon, label, disabled = false, enter = false, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      className={`${styles.iconButton ?? ""} nodrag`}
      aria-label={label}
      title={label}
      disabled={disabled}
      data-enter={enter ? "click" : undefined}
      onClick={onClick}
    >
      <Icon aria-hidden="true" />
    </button>
  );
}
