/** The canvas of a graph: dragging moves it, the wheel zooms it, a click selects a node. */
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { useWheelZoom } from '../../components/chart/use-wheel-zoom.ts';
import { titleOf } from '../../design/states.ts';
import { useIsDark } from '../../preferences/theme.ts';
import { drawGraph, type View } from './graph-drawing.ts';
import { NODE_HEIGHT, nodeAt } from './graph-layout.ts';
import type { PlacedGraph } from './use-layout.ts';

/** A pointer that moves less than this many pixels while it is pressed counts as a click. */
const CLICK_PIXELS = 4;

interface Props {
  readonly graph: PlacedGraph;
  readonly view: View;
  readonly width: number;
  readonly height: number;
  /** Index of the selected node. */
  readonly chosen: number | undefined;
  /** Pixels. */
  readonly onPan: (x: number, y: number) => void;
  /** A factor above one zooms out around a point of the canvas. */
  readonly onZoom: (factor: number, at: { readonly x: number; readonly y: number }) => void;
  readonly onChoose: (node: number | undefined) => void;
}

export function GraphCanvas({ graph, view, width, height, chosen, onPan, onZoom, onChoose }: Props) {
  const isDark = useIsDark();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [over, setOver] = useState<number>();
  const moved = useRef(0);
  useWheelZoom(canvas, onZoom);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the mode changes the colours of the tokens that are drawn.
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context && width > 0) drawGraph(context, { graph, view, width, height, chosen, over });
  }, [graph, view, width, height, chosen, over, isDark]);

  const at = ({ clientX, clientY, currentTarget }: PointerEvent<HTMLCanvasElement>) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return nodeAt(graph.layout, view.x + (clientX - left) / view.scale, view.y + (clientY - top) / view.scale);
  };
  const pointed = over === undefined ? undefined : graph.nodes[over];
  return (
    <>
      <canvas
        ref={canvas}
        role="img"
        aria-label="Task runs and their dependencies; the list beside it has the same runs"
        className={`block touch-none ${over === undefined ? 'cursor-grab active:cursor-grabbing' : 'cursor-pointer'}`}
        style={{ width, height }}
        onPointerDown={(event) => {
          moved.current = 0;
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          if (event.buttons === 1) {
            moved.current += Math.abs(event.movementX) + Math.abs(event.movementY);
            onPan(event.movementX, event.movementY);
          } else setOver(at(event));
        }}
        onPointerLeave={() => setOver(undefined)}
        onPointerUp={(event) => {
          if (event.button === 0 && moved.current < CLICK_PIXELS) onChoose(at(event));
        }}
      />
      {pointed && over !== undefined ? (
        <div
          className="pointer-events-none absolute z-10 max-w-72 rounded-panel border border-line bg-surface px-2 py-1 text-xs shadow-raised"
          style={{
            left: Math.max(0, Math.min(width - 200, ((graph.layout.x[over] as number) - view.x) * view.scale)),
            top: ((graph.layout.y[over] as number) + NODE_HEIGHT - view.y) * view.scale + 4,
          }}
        >
          <div className="font-medium break-words">{pointed.name}</div>
          <div className="text-soft">
            {titleOf(pointed.kind)} · takes {countOf(pointed.givers.length, 'result')} · gives to{' '}
            {countOf(pointed.takers.length, 'run')}
          </div>
        </div>
      ) : null}
    </>
  );
}

function countOf(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
}
