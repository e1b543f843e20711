import globals from "globals";
import rules from "../../web/eslint.config.js";

/** The rules of the web packages, for pages. */
export default [
  ...rules,
  { languageOptions: { globals: globals.browser } },
];
