import type { Text, TextRow } from "../texts";

type Rows<Table> = { readonly [Key in keyof Table]: TextRow };

/**
 * Sentences of the server, each under its English form with the places in it: Russian, then Chinese.
 *
 * The server speaks English alone, because its messages are for scripts and logs too. A place called `what`, `why` or
 * `how` may hold a sentence of these tables itself; one called `words` holds what a foreign program said.
 */
export function said<const Table extends Readonly<Record<string, readonly [ru: Text, zh: Text]>>>(table: Table): Rows<Table> {
  return Object.fromEntries(Object.entries(table).map(([en, [ru, zh]]) => [en, { en, ru, zh }])) as unknown as Rows<Table>;
}
