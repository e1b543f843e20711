/** The members that are not undefined: what was left out must not be sent. */
export function given<Members extends Readonly<Record<string, unknown>>>(members: Members): Partial<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Members>;
}
