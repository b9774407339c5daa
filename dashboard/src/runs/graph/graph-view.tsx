/**
 * The task runs and subflow runs of a flow run by their dependencies: a canvas, and a list of the same runs beside it.
 */
import { Maximize, Minus, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { IconButton } from '../../components/button.tsx';
import { CanvasHints } from '../../components/chart/canvas-hints.tsx';
import { Skeleton } from '../../components/states-of-loading.tsx';
import type { TimelineView } from '../queries.ts';
import { GraphCanvas } from './graph-canvas.tsx';
import { NAMES_FROM } from './graph-drawing.ts';
import { GraphList } from './graph-list.tsx';
import { modelOf } from './graph-model.ts';
import { type GraphProps, LIST_WIDTH, useGraphView } from './use-graph-view.ts';
import { usePlaced } from './use-layout.ts';

const NARROW_LIST_HEIGHT = 144;

export function GraphView({ view, ...rest }: Omit<GraphProps, 'graph'> & { readonly view: TimelineView }) {
  const graph = usePlaced(useMemo(() => modelOf(view), [view]));
  return graph ? <PlacedView graph={graph} {...rest} /> : <Skeleton rows={6} />;
}

function PlacedView(props: GraphProps) {
  const { graph, height } = props;
  const { layout, nodes } = graph;
  const { place, whole, width, isNarrow, view, chosenNode, zoom, pan, choose, goTo, press, showAll } =
    useGraphView(props);
  return (
    <section ref={place} aria-label="Graph" className="relative" onKeyDown={press}>
      <div className="absolute -top-8 right-0 flex items-center gap-1" data-screen-only>
        <IconButton label="Show all (0)" onClick={() => showAll()}>
          <Maximize size={14} />
        </IconButton>
        <IconButton label="Zoom out (-)" onClick={() => zoom(2)}>
          <Minus size={14} />
        </IconButton>
        <IconButton label="Zoom in (+)" onClick={() => zoom(0.5)}>
          <Plus size={14} />
        </IconButton>
      </div>
      <div className={`flex border-y border-line ${isNarrow ? 'flex-col-reverse' : ''}`}>
        <div
          className={isNarrow ? 'border-t border-line' : 'border-r border-line'}
          style={{ width: isNarrow ? whole : LIST_WIDTH }}
        >
          <GraphList
            graph={graph}
            chosen={chosenNode}
            onChoose={goTo}
            height={isNarrow ? NARROW_LIST_HEIGHT : height}
          />
        </div>
        <div className="relative overflow-hidden bg-canvas" style={{ width, height }}>
          <GraphCanvas
            graph={graph}
            view={view}
            width={width}
            height={height}
            chosen={chosenNode}
            onPan={pan}
            onZoom={zoom}
            onChoose={choose}
          />
        </div>
      </div>
      <p className="mt-1 flex flex-wrap gap-3 text-2xs text-quiet" data-screen-only>
        <CanvasHints moves="drag or arrow keys move" />
        {view.scale < NAMES_FROM ? <span>names appear when zoomed in</span> : null}
        {layout.columns.length === 1 && nodes.length > 1 ? <span>no task run takes the result of another</span> : null}
      </p>
    </section>
  );
}
