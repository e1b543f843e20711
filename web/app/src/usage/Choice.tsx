import styles from "./page.module.css";

interface ChoiceProps<Id extends string> {
  label: string;
  options: readonly { id: NoInfer<Id>; label: string; title?: string }[];
  chosen: Id;
  onChoose(id: NoInfer<Id>): void;
}

/** A few alternatives side by side, one of them chosen. */
export function Choice<Id extends string>({ label, options, chosen, onChoose }: ChoiceProps<Id>) {
  return (
    <div className={styles["choice"]} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.id}
          type="button"
          className="btn"
          aria-pressed={option.id === chosen}
          title={option.title}
          onClick={() => onChoose(option.id)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
