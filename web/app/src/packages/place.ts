/** Where a package comes from, as the person typed it. */
export interface Place {
  source: string;
  ref: string;
  folder: string;
  dev: boolean;
}

export const NOWHERE: Place = { source: "", ref: "", folder: "", dev: false };

/** The parameters that name a place: what was left empty is left out. */
export function placeParams({ source, ref, folder, dev }: Place) {
  return {
    source: source.trim(),
    ...(ref.trim() !== "" && { ref: ref.trim() }),
    ...(folder.trim() !== "" && { folder: folder.trim() }),
    ...(dev && { dev }),
  };
}
