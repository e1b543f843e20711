import type { Language } from "../wire/records";
import { agentTexts } from "./agents";
import { asking } from "./asking";
import { cards } from "./cards";
import { backendTexts } from "./backends";
import { chatTexts } from "./chat";
import { fileTexts } from "./files";
import { frames } from "./frames";
import { packageTexts } from "./packages";
import { reasons } from "./reasons";
import { sentences } from "./said/sentences";
import { shell } from "./shell";
import { fillText, type TextValues } from "./texts";
import { usageTexts } from "./usage";

/** Every text of the page, one row a key, one column a language. */
export const catalogue = {
  ...shell,
  ...cards,
  ...frames,
  ...asking,
  ...packageTexts,
  ...fileTexts,
  ...agentTexts,
  ...chatTexts,
  ...backendTexts,
  ...usageTexts,
  ...reasons,
  ...sentences,
};

export type TextKey = keyof typeof catalogue;
export type Translate = (key: TextKey, values?: TextValues) => string;

export function translator(language: Language): Translate {
  return (key, values) => fillText(catalogue[key], language, values);
}
