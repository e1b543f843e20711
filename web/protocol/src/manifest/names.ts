const MAX_TOOL_NAME_CHARS = 64;

/** The name under which agents see a card's tool: `my-card` and `add` make `my_card_add`, cut to 64 units. */
export function toolFullName(packageName: string, tool: string): string {
  return `${packageName.replace(/-/g, "_")}_${tool}`.slice(0, MAX_TOOL_NAME_CHARS);
}
