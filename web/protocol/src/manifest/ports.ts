import { PORT_TYPES } from "../generated";
import { hasOwn } from "../json";
import type { LocalizedText } from "../texts";
import { textsByPath } from "./findings";
import type { Findings } from "./findings";
import type { PortDefinition, RawManifest, ResponseDefinition } from "./model";

const CUSTOM_TYPE = /^[a-z0-9][a-z0-9-]{0,47}\/[a-z0-9][a-z0-9-]{0,47}$/;

/** Whether a port may have this type: a well-known one, or one of a package's own, `package/type`. */
export function isPortType(type: string): boolean {
  return hasOwn(PORT_TYPES, type) || CUSTOM_TYPE.test(type);
}

/** Checks the ports of a package. */
export function checkPorts(packageName: string, ports: NonNullable<RawManifest["ports"]>, findings: Findings): void {
  const { inputs = [], outputs = [] } = ports;
  findings.repeats("/ports/inputs", "id", ids(inputs));
  findings.repeats("/ports/outputs", "id", ids(outputs));
  inputs.forEach((port, index) => {
    checkPort(`/ports/inputs/${index}`, packageName, port, findings);
    checkInput(`/ports/inputs/${index}`, packageName, port, findings);
  });
  outputs.forEach((port, index) => {
    checkPort(`/ports/outputs/${index}`, packageName, port, findings);
    checkOutput(`/ports/outputs/${index}`, port, findings);
  });
  if (inputs.filter((port) => port.default === true).length > 1) {
    findings.add("/ports/inputs", "At most one input can be the default one.");
  }
}

function ids(ports: readonly PortDefinition[]): string[] {
  return ports.map(({ id }) => id);
}

function checkPort(path: string, packageName: string, port: PortDefinition, findings: Findings): void {
  checkWords(path, "label", port.label, false, findings);
  checkWords(path, "description", port.description, true, findings);
  const custom = checkType(`${path}/type`, packageName, port.type, findings);
  if (custom && port.schema === undefined) {
    findings.add(`${path}/schema`, `The type ${JSON.stringify(port.type)} is not a known one and needs a schema.`);
  }
  if (port.schema !== undefined) findings.schema(`${path}/schema`, port.schema);
}

function checkWords(path: string, name: string, text: LocalizedText | undefined, multiline: boolean, findings: Findings) {
  findings.text(`${path}/${name}`, text, { multiline });
  if (textsByPath(path, text).some(([, one]) => one.trim() === "")) {
    findings.add(path, `The ${name} has nothing but white space.`);
  }
}

function checkInput(path: string, packageName: string, port: PortDefinition, findings: Findings): void {
  if (port.retain !== undefined) findings.add(`${path}/retain`, "Only an output can retain its last value.");
  if (port.mode === "request") {
    if (port.response === undefined) findings.add(`${path}/response`, "A request input needs a response.");
    else checkResponse(`${path}/response`, packageName, port.response, findings);
  } else if (port.response !== undefined) {
    findings.add(`${path}/response`, "Only an input of mode 'request' has a response.");
  }
}

function checkResponse(path: string, packageName: string, response: ResponseDefinition, findings: Findings): void {
  checkType(`${path}/type`, packageName, response.type, findings);
  if (response.schema !== undefined) findings.schema(`${path}/schema`, response.schema);
}

function checkOutput(path: string, port: PortDefinition, findings: Findings): void {
  if (port.mode !== undefined || port.response !== undefined || port.default !== undefined) {
    findings.add(path, "An output has no mode, response or default.");
  }
}

/** Reports a type that is none, warns of one that another package made up; tells whether it is a custom one. */
function checkType(path: string, packageName: string, type: string, findings: Findings): boolean {
  if (hasOwn(PORT_TYPES, type)) return false;
  if (!CUSTOM_TYPE.test(type)) {
    findings.add(path, `There is no port type ${JSON.stringify(type)}; one of your own is written package/type.`);
    return false;
  }
  const [owner = ""] = type.split("/");
  if (owner !== packageName) findings.warn(path, `The type ${type} belongs to the package ${owner}.`);
  return true;
}
