import { texts } from "./texts";

/** Texts of the page around the cards. */
export const shell = texts({
  "app.name": { en: "Cardloom", ru: "Cardloom", zh: "Cardloom" },
});
