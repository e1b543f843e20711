import {
  Background,
  BackgroundVariant,
  ReactFlow,
  SelectionMode,
  useReactFlow,
  type EdgeChange,
  type NodeChange,
  type Viewport,
} from "@xyflow/react";
import { useCallback, useMemo, useRef, type DragEvent, type MouseEvent } from "react";
import { arrange } from "../actions/cards";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import { detailAt } from "../state/ui";
import { ArrowEdgeView } from "./ArrowEdgeView";
import { CardNodeView } from "./CardNodeView";
import { contextMenu } from "./contextMenu";
import { DistantArrows } from "./DistantArrows";
import { DrawingLine } from "./DrawingLine";
import { addEntries, addWhereDropped, DRAG_TYPE, parseAddable } from "./adding";
import type { ArrowEdge, CardNode } from "./nodes";
import { usePresence } from "./presence";
import { useCanvasKeys } from "./useCanvasKeys";
import { useElements } from "./useElements";
import { MAX_ZOOM, MIN_ZOOM, useFirstFit, useReveal, useSought } from "./viewport";

const nodeTypes = { card: CardNodeView };
const edgeTypes = { arrow: ArrowEdgeView };
const MULTI_SELECT = ["Shift", "Meta", "Control"];

/** The canvas itself: cards and arrows under one viewport. */
export function Canvas() {
  const session = useSession();
  const t = useT();
  const flow = useReactFlow<CardNode, ArrowEdge>();
  const elements = useElements();
  const box = useRef<HTMLDivElement>(null);
  const online = useStore(session.connection, (state) => state.phase === "online");
  const drawing = useStore(session.ui, (ui) => ui.drawing !== null || ui.carrying !== null);
  const detail = useStore(session.ui, (ui) => ui.detail);
  const keysSaid = useMemo(
    () => ({
      "node.a11yDescription.default": t("canvas.cardKeys"),
      "node.a11yDescription.keyboardDisabled": t("canvas.cardKeys"),
      "edge.a11yDescription.default": t("canvas.arrowKeys"),
    }),
    [t],
  );
  useFirstFit();
  useReveal();
  useSought();
  usePresence(box);
  useCanvasKeys(box);

  const onMove = useCallback(
    (_event: unknown, viewport: Viewport) => {
      const detail = detailAt(viewport.zoom);
      session.ui.update((ui) => (ui.detail === detail ? ui : { ...ui, detail }));
    },
    [session],
  );

  const dropMoved = useCallback(
    (moved: readonly CardNode[]) => {
      const wanted = moved.map((node) => ({
        cardId: node.id,
        x: Math.round(node.position.x),
        y: Math.round(node.position.y),
      }));
      void arrange(session, wanted);
    },
    [session],
  );

  const onDrop = useCallback(
    (event: DragEvent) => {
      const what = parseAddable(event.dataTransfer.getData(DRAG_TYPE));
      if (what === null) return;
      event.preventDefault();
      const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
      void addWhereDropped(session, what, at);
    },
    [session, flow],
  );

  const openPaneMenu = useCallback(
    (event: MouseEvent | globalThis.MouseEvent) => {
      event.preventDefault();
      const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
      contextMenu.set({
        label: session.t("add.title"),
        at: { x: event.clientX, y: event.clientY },
        entries: addEntries(session, at),
      });
    },
    [session, flow],
  );

  return (
    <div
      ref={box}
      className={`canvas detail-${detail === "far" ? "tile is-far" : detail} ${drawing ? "is-drawing" : ""}`}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(DRAG_TYPE)) event.preventDefault();
      }}
      onDrop={onDrop}
    >
      <ReactFlow<CardNode, ArrowEdge>
        aria-label={t("canvas.label")}
        ariaLabelConfig={keysSaid}
        nodes={elements.nodes}
        edges={detail === "block" ? NO_EDGES : elements.edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={elements.onNodesChange as (changes: NodeChange<CardNode>[]) => void}
        onEdgesChange={elements.onEdgesChange as (changes: EdgeChange<ArrowEdge>[]) => void}
        onNodeDragStop={(_event, _node, nodes) => dropMoved(nodes)}
        onSelectionDragStop={(_event, nodes) => dropMoved(nodes)}
        onMove={onMove}
        onPaneContextMenu={openPaneMenu}
        onPaneClick={() => (document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined)}
        minZoom={MIN_ZOOM}
        maxZoom={MAX_ZOOM}
        onlyRenderVisibleElements
        nodesDraggable={online}
        nodesConnectable={false}
        nodeDragThreshold={3}
        elevateNodesOnSelect
        elevateEdgesOnSelect
        selectionMode={SelectionMode.Partial}
        selectionKeyCode="Shift"
        multiSelectionKeyCode={MULTI_SELECT}
        deleteKeyCode={null}
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        panOnDrag={PAN_BUTTONS}
        proOptions={PRO}
      >
        <Background variant={BackgroundVariant.Dots} gap={22} size={1.6} color="color-mix(in oklab, var(--border-secondary) 60%, var(--background))" />
        {detail === "block" ? <DistantArrows nodes={elements.nodes} /> : null}
        <DrawingLine />
      </ReactFlow>
    </div>
  );
}

const NO_EDGES: ArrowEdge[] = [];
const PAN_BUTTONS = [0, 1];
/** The attribution of xyflow stands in the help window instead of on the canvas. */
const PRO = { hideAttribution: true };
