import { BUILTIN_TOOLS, RESERVED_NAMES } from "../generated";
import { hasOwn, isPlainObject } from "../json";
import { normalizePackagePath } from "../paths";
import { parsePermissions } from "../permissions";
import type { Permission, PermissionEntry } from "../permissions";
import { isColor, isNumber, isOption, rangeFault } from "../settings";
import type { SettingDefinition } from "../settings";
import type { Findings } from "./findings";
import type { CardSizes, RawManifest, ToolDefinition } from "./model";
import { toolFullName } from "./names";
import { checkPorts } from "./ports";

const PROTOCOL = 1;
const OWN_NAMES: ReadonlySet<string> = new Set(RESERVED_NAMES);
const OWN_TOOLS: ReadonlySet<string> = new Set(BUILTIN_TOOLS);

/** Checks all but the file that the card starts from; gives the merged permissions. */
export function checkMeaning(raw: RawManifest, sizes: CardSizes, findings: Findings): readonly Permission[] {
  checkIdentity(raw, findings);
  checkIcon(raw.icon, findings);
  checkSizes(sizes, findings);
  const permissions = checkPermissions(raw.permissions ?? [], findings);
  checkSettings(raw.settings ?? [], findings);
  checkPorts(raw.name, raw.ports ?? {}, findings);
  checkTools(raw.name, raw.tools ?? [], findings);
  return permissions;
}

function checkIdentity(raw: RawManifest, findings: Findings): void {
  if (OWN_NAMES.has(raw.name)) findings.add("/name", `The name ${JSON.stringify(raw.name)} is reserved.`);
  if (raw.protocol > PROTOCOL) {
    findings.add("/protocol", `The card needs protocol ${raw.protocol}; update Cardloom to use it.`, "protocol");
  }
  findings.text("/displayName", raw.displayName);
  findings.text("/description", raw.description, { multiline: true });
  findings.text("/author/name", raw.author?.name);
  findings.text("/license", raw.license);
  (raw.keywords ?? []).forEach((keyword, index) => findings.text(`/keywords/${index}`, keyword));
}

function checkIcon(icon: string | undefined, findings: Findings): void {
  if (icon === undefined) return;
  const normal = normalizePackagePath(icon);
  if (normal === null || !/\.(?:png|webp)$/i.test(normal)) {
    findings.add("/icon", `${JSON.stringify(icon)} is no path of a .png or .webp file in the package.`);
  }
}

function checkSizes({ minSize, defaultSize, maxSize }: CardSizes, findings: Findings): void {
  const ordered = (["w", "h"] as const).every(
    (axis) => minSize[axis] <= defaultSize[axis] && defaultSize[axis] <= maxSize[axis],
  );
  if (!ordered) findings.add("/card", "The default size must lie between the least and the greatest size.");
}

function checkPermissions(entries: readonly PermissionEntry[], findings: Findings): readonly Permission[] {
  const { permissions, issues } = parsePermissions(entries);
  for (const { index, message } of issues) findings.add(`/permissions/${index}`, message);
  entries.forEach((entry, index) => {
    if (typeof entry !== "string") findings.text(`/permissions/${index}/reason`, entry.reason, { multiline: true });
  });
  return permissions;
}

function checkSettings(settings: readonly SettingDefinition[], findings: Findings): void {
  findings.repeats(
    "/settings",
    "key",
    settings.map(({ key }) => key),
  );
  settings.forEach((setting, index) => {
    const path = `/settings/${index}`;
    checkSettingTexts(path, setting, findings);
    checkSettingShape(path, setting, findings);
    for (const fault of defaultFaults(setting)) findings.add(`${path}/default`, fault);
  });
}

function checkSettingTexts(path: string, setting: SettingDefinition, findings: Findings): void {
  findings.text(`${path}/label`, setting.label);
  findings.text(`${path}/description`, setting.description, { multiline: true });
  findings.text(`${path}/placeholder`, setting.placeholder);
  (setting.options ?? []).forEach(({ label }, index) => findings.text(`${path}/options/${index}/label`, label));
}

function checkSettingShape(path: string, { type, options, min, max }: SettingDefinition, findings: Findings): void {
  if (type === "select" && options === undefined) findings.add(`${path}/options`, "A select setting needs options.");
  if (type !== "select" && options !== undefined) {
    findings.add(`${path}/options`, "Only a select setting has options.");
  }
  if (min !== undefined && max !== undefined && min > max) {
    findings.add(path, "The least value is above the greatest.");
  }
}

function defaultFaults(setting: SettingDefinition): string[] {
  const { type, default: value } = setting;
  if (value === undefined) return [];
  const faults: (string | null)[] = [
    type === "secret" ? "A secret has no default." : null,
    kindFault(setting, value),
    type === "select" && !isOption(setting, value) ? "The default must be one of the options." : null,
    type === "color" && typeof value === "string" && !isColor(value)
      ? "The default must be a colour written as #rrggbb."
      : null,
  ];
  return faults.filter((fault) => fault !== null);
}

function kindFault(setting: SettingDefinition, value: unknown): string | null {
  switch (setting.type) {
    case "number":
      return isNumber(value) ? rangeFault(setting, value) : "The default must be a number.";
    case "boolean":
      return typeof value === "boolean" ? null : "The default must be true or false.";
    default:
      return typeof value === "string" ? null : "The default must be a text.";
  }
}

function checkTools(packageName: string, tools: readonly ToolDefinition[], findings: Findings): void {
  findings.repeats(
    "/tools",
    "name",
    tools.map(({ name }) => name),
  );
  tools.forEach((tool, index) => {
    const path = `/tools/${index}`;
    checkFullName(`${path}/name`, toolFullName(packageName, tool.name), findings);
    findings.text(`${path}/title`, tool.title);
    findings.text(`${path}/description`, tool.description, { multiline: true });
    checkInputSchema(`${path}/inputSchema`, tool.inputSchema, findings);
  });
}

function checkFullName(path: string, fullName: string, findings: Findings): void {
  if (OWN_TOOLS.has(fullName)) findings.add(path, `Agents would see the tool as ${fullName}, which is a built-in tool.`);
  if (fullName.includes("__")) {
    findings.add(path, `Agents would see the tool as ${fullName}; two underscores in a row are reserved.`);
  }
}

function checkInputSchema(path: string, schema: ToolDefinition["inputSchema"], findings: Findings): void {
  findings.schema(path, schema);
  if (schema["type"] !== "object") findings.add(`${path}/type`, "The type of a tool's input must be 'object'.");
  const properties = schema["properties"];
  if (isPlainObject(properties) && hasOwn(properties, "card")) {
    findings.add(`${path}/properties/card`, "The name 'card' is reserved for choosing among cards.");
  }
}
