/** The colour family of a port type. Colour on the canvas means a type or a status and nothing else. */
export type TypeFamily = "text" | "tasks" | "data" | "event" | "media" | "any";

const FAMILIES: Readonly<Record<string, TypeFamily>> = {
  "ns:any": "any",
  "ns:text": "text",
  "ns:markdown": "text",
  "ns:url": "text",
  "ns:number": "data",
  "ns:boolean": "data",
  "ns:json": "data",
  "ns:table": "data",
  "ns:image": "media",
  "ns:file-ref": "media",
  "ns:task": "tasks",
  "ns:tasks": "tasks",
  "ns:task-patch": "tasks",
  "ns:event": "event",
  "ns:trigger": "event",
};

/** A type of a package's own counts as data. */
export function familyOf(type: string): TypeFamily {
  return FAMILIES[type] ?? "data";
}

/** A type as people read it: without the `ns:` of the known ones. */
export function shortType(type: string): string {
  return type.startsWith("ns:") ? type.slice(3) : type;
}
