/** The last runs as bars, the latest on the right: the height is the duration, the colour the state. */
import { useRouter } from '@tanstack/react-router';
import { useRef } from 'react';
import type { components } from '../../api/schema.gen.ts';
import { stateKind, titleOf, tokenOf } from '../../design/states.ts';
import { absoluteTime, duration } from '../../design/time.ts';
import { useWidth } from './use-width.ts';

export type RunBar = components['schemas']['RunBar'];

interface Props {
  /** Newest first, as the server lists them. */
  readonly runs: readonly RunBar[];
  /** Number of places; those without a run stay empty, so that the latest run is always on the right. */
  readonly places: number;
  readonly height: number;
  /** Width of one bar in pixels. */
  readonly width: number;
  /** True if the bars fill the width of their container: they become wider, or the oldest are left out. */
  readonly isFitted?: boolean;
}

const GAP = 2;
const LEAST_HEIGHT = 3;

export function RunBars({ isFitted = false, ...bars }: Props) {
  return isFitted ? <FittedBars {...bars} /> : <Bars {...bars} step={bars.width + GAP} />;
}

function FittedBars({ places, width, ...rest }: Omit<Props, 'isFitted'>) {
  const container = useRef<HTMLDivElement>(null);
  const space = useWidth(container) + GAP;
  const fitting = Math.max(1, Math.min(places, Math.floor(space / (width + GAP))));
  const step = space / fitting;
  return (
    <div ref={container} className="overflow-hidden contain-inline-size" style={{ height: rest.height }}>
      {space > width ? <Bars {...rest} places={fitting} width={step - GAP} step={step} /> : null}
    </div>
  );
}

function Bars({ runs, places, height, width, step }: Omit<Props, 'isFitted'> & { readonly step: number }) {
  const router = useRouter();
  const bars = runs.slice(0, places);
  const longest = Math.max(1, ...bars.map(({ run_time }) => run_time));
  return (
    <svg width={places * step - GAP} height={height} className="block shrink-0" role="img" aria-label={summaryOf(bars)}>
      <line x1={0} x2={places * step} y1={height - 0.5} y2={height - 0.5} stroke="var(--line)" />
      {bars.map((run, index) => {
        const kind = stateKind(run.state_type, run.state_name);
        const tall = Math.max(LEAST_HEIGHT, Math.round((run.run_time / longest) * height));
        const left = (places - 1 - index) * step;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: pages list the same runs as links; the summary is read aloud.
          <g key={run.id} onClick={() => void router.navigate({ to: '/runs/flow-run/$id', params: { id: run.id } })}>
            <title>{`${run.name} · ${titleOf(kind)} · ${duration(run.run_time)}${run.start ? ` · ${absoluteTime(run.start)}` : ''}`}</title>
            <rect x={left} y={0} width={step} height={height} fill="transparent" />
            <rect
              x={left}
              y={height - tall}
              width={width}
              height={tall}
              rx={1}
              fill={`var(--${tokenOf(kind)})`}
              opacity={kind === 'COMPLETED' ? 0.75 : 1}
            />
          </g>
        );
      })}
    </svg>
  );
}

function summaryOf(runs: readonly RunBar[]): string {
  if (runs.length === 0) return 'No runs yet';
  const counts = Map.groupBy(runs, ({ state_type, state_name }) => titleOf(stateKind(state_type, state_name)));
  const parts = [...counts].map(([title, ofKind]) => `${ofKind.length} ${title}`);
  return `Last ${runs.length === 1 ? 'run' : `${runs.length} runs`}: ${parts.join(', ')}`;
}
