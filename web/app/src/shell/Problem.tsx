/** Says what went wrong, where something did. */
export function Problem({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p className="notice tone-danger" role="alert">
      {text}
    </p>
  );
}
