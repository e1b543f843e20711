/** The records of the canvas, by the names the page uses. They are the protocol's own. */

import type { ArrowDirection, CanvasEventData, Preferences, Welcome } from "@cardloom/protocol";

export type {
  AgentCard,
  AgentChanges,
  AgentChoice,
  AgentQuestion,
  AgentStatus,
  AgentTimeline,
  Arrow,
  ArrowStats,
  Budget,
  BudgetCard,
  BudgetLimit,
  Card,
  CardKind,
  CardMenuItem,
  CatalogueEntry,
  CatalogueList,
  Change,
  ChatCard,
  CustomCard,
  Dialog,
  FileContent,
  FileEntry,
  FrameRuntime,
  Grant,
  HarnessId,
  HarnessInfo,
  JournalEntry,
  KanbanCard,
  KanbanColumn,
  KanbanContent,
  KanbanTask,
  Language,
  LogLine,
  NoteCard,
  PackageDifference,
  PackageInfo,
  PackageReview,
  PricedSums,
  PortInfo,
  SettingField,
  SettingsForm,
  Preferences,
  ProgramRuntime,
  QueuedPrompt,
  Snapshot,
  StartedAgent,
  StickyCard,
  StickyColor,
  TaskStatus,
  TerminalCard,
  TerminalRuntime,
  TimelineRequest,
  TimelineTurn,
  TodoCard,
  TodoItem,
  Tone,
  TurnEstimate,
  UsageGroup,
  UsageReport,
  UsageRow,
  UsageSpan,
  Workspace,
} from "@cardloom/protocol";

export type Direction = ArrowDirection;
export type SchemeChoice = Preferences["scheme"];
export type Hello = Welcome;
export type CanvasChanged = CanvasEventData["canvas.changed"];
export type ArrowActivityEvent = CanvasEventData["arrow.activity"];
export type GrantsChanged = CanvasEventData["grants.changed"];
export type BudgetChanged = CanvasEventData["budget.changed"];
export type FilesChanged = CanvasEventData["files.changed"];
