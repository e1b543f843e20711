/** The records of the canvas, by the names the page uses. They are the protocol's own. */

import type { ArrowDirection, CanvasEventData, Preferences, Welcome } from "@cardloom/protocol";

export type {
  Arrow,
  ArrowStats,
  Card,
  CardKind,
  CardMenuItem,
  CatalogueEntry,
  CatalogueInfo,
  CatalogueList,
  Change,
  Chrome,
  CustomCard,
  CustomContent,
  CustomRuntime,
  Dialog,
  FileContent,
  FileEntry,
  FrameRuntime,
  Grant,
  JournalEntry,
  KanbanCard,
  KanbanColumn,
  KanbanContent,
  KanbanTask,
  Language,
  LogLine,
  NoteCard,
  NoteContent,
  OtherCard,
  PackageDifference,
  PackageInfo,
  PackageReview,
  PermissionView,
  PortInfo,
  SettingField,
  SettingsForm,
  Preferences,
  ProgramRuntime,
  Snapshot,
  StickyCard,
  StickyColor,
  StickyContent,
  TaskStatus,
  TerminalCard,
  TerminalContent,
  TerminalRuntime,
  TodoCard,
  TodoContent,
  TodoItem,
  Tone,
  Workspace,
} from "@cardloom/protocol";

export type Direction = ArrowDirection;
export type SchemeChoice = Preferences["scheme"];
export type Hello = Welcome;
export type CanvasChanged = CanvasEventData["canvas.changed"];
export type ArrowActivityEvent = CanvasEventData["arrow.activity"];
export type FilesChanged = CanvasEventData["files.changed"];
