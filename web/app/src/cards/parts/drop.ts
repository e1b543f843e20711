/** Where a dragged row would land: geometry alone. Coordinates are those of the viewport, in pixels. */

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
export interface DropZone extends Box {
  id: string;
  rows: readonly ({ id: string } & Box)[];
}
export interface DropPlace {
  zone: string;
  /** Counted without the dragged row. */
  index: number;
}

/** The place under a point, or null outside every zone. A zone reaches as far up and down as one pleases. */
export function dropPlace(zones: readonly DropZone[], x: number, y: number, draggedId: string): DropPlace | null {
  const zone = zones.find((each) => x >= each.left && x <= each.right);
  if (zone === undefined) return null;
  const rows = zone.rows.filter((row) => row.id !== draggedId);
  const below = rows.findIndex((row) => y < (row.top + row.bottom) / 2);
  return { zone: zone.id, index: below === -1 ? rows.length : below };
}
