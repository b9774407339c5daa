import { useEffect, useState } from 'react';
import type { GraphLayout, LayoutInput } from './graph-layout.ts';
import type { GraphModel } from './graph-model.ts';

/** A graph and the positions of its nodes. */
export interface PlacedGraph extends GraphModel {
  readonly layout: GraphLayout;
}

/**
 * Undefined until the first layout is ready. A changed graph is shown in its old form until the new layout is ready.
 */
export function usePlaced(model: GraphModel | undefined): PlacedGraph | undefined {
  const [placed, setPlaced] = useState<PlacedGraph>();
  useEffect(() => {
    if (!model) return undefined;
    const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<GraphLayout>) => {
      setPlaced({ ...model, layout: data });
      worker.terminate();
    });
    const input: LayoutInput = {
      starts: Float64Array.from(model.nodes, ({ start }) => start),
      givers: model.nodes.map(({ givers }) => givers),
    };
    worker.postMessage(input);
    return () => worker.terminate();
  }, [model]);
  return placed;
}
