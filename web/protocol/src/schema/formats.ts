const MAX_URI_UNITS = 8192;
const MAX_LOCAL_UNITS = 64;
const MAX_DOMAIN_UNITS = 255;

const URI = /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/;
const EMAIL = /^([^\s@]+)@([^\s@]+)$/;
const DATE = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$/;
const TIME =
  /^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?|24:00:00(?:\.0{1,9})?)(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$/;
const COLOR = /^#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/;
const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** The string formats of the schema subset. Every month has 31 days here, as in the card host contract. */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["uri", (text: string) => text.length <= MAX_URI_UNITS && URI.test(text)],
  ["date-time", (text: string) => text[10] === "T" && DATE.test(text.slice(0, 10)) && TIME.test(text.slice(11))],
  ["date", (text: string) => DATE.test(text)],
  ["email", isEmail],
  ["color", (text: string) => COLOR.test(text)],
  ["uuid", (text: string) => UUID.test(text)],
]);

function isEmail(text: string): boolean {
  const match = EMAIL.exec(text);
  if (match === null) return false;
  const [, local = "", domain = ""] = match;
  return local.length <= MAX_LOCAL_UNITS && domain.length <= MAX_DOMAIN_UNITS;
}
