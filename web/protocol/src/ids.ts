declare const kind: unique symbol;

/** A text that is known to name one sort of thing: plain texts pass, ids of another sort do not. */
export type Id<Kind extends string> = string & { readonly [kind]?: Kind };

export type WorkspaceId = Id<"workspace">;
export type CardId = Id<"card">;
export type ArrowId = Id<"arrow">;
export type PageId = Id<"page">;
export type PackageId = Id<"package">;
export type DialogId = Id<"dialog">;
