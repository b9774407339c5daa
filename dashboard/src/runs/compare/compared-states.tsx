/** The states of two runs on one axis, which begins with the start of each. */
import { useMemo, useRef, useState } from 'react';
import { useWidth } from '../../components/chart/use-width.ts';
import { Section } from '../../components/page.tsx';
import { StateLabel } from '../../design/state-mark.tsx';
import { shortMessage } from '../../design/state-message.ts';
import { isEnded, stateKind, titleOf, tokenOf } from '../../design/states.ts';
import { absoluteTime, duration } from '../../design/time.ts';
import { usePreferences } from '../../preferences/preferences.ts';
import { idleTimes } from '../timeline/idle-time.ts';
import { type Scale, scaleOf, workedUntil } from '../timeline/time-scale.ts';
import { TimelineAxis } from '../timeline/timeline-axis.tsx';
import { type Segment, segmentsOfStates } from '../timeline/timeline-layout.ts';
import type { ComparedRun } from './queries.ts';

/** A wait of days before the start would leave no room for what follows. */
const MOST_WAIT_SHARE = 0.15;

interface Props {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  /** Time of the reading, RFC 3339. */
  readonly asOf: string;
}

/** States with milliseconds since the start of the run; of the first state, if it has not started. */
function elapsedStates({ states }: ComparedRun) {
  const start = Date.parse((states.find(({ type }) => type === 'RUNNING') ?? states[0])?.timestamp ?? '');
  return { start, states: states.map((state) => ({ ...state, at: Date.parse(state.timestamp) - start })) };
}

type Elapsed = ReturnType<typeof elapsedStates>;

function rangeOf(runs: readonly Elapsed[], asOf: string) {
  const ends = runs.map(({ start, states }) => {
    const last = states.at(-1);
    return last && !isEnded(last.type) ? Date.parse(asOf) - start : (last?.at ?? 0);
  });
  const to = Math.max(1, ...ends);
  const first = Math.min(0, ...runs.map(({ states }) => states[0]?.at ?? 0));
  return { from: Math.max(first, -to * MOST_WAIT_SHARE), to };
}

export function ComparedStates({ a, b, asOf }: Props) {
  const bars = useRef<HTMLDivElement>(null);
  const width = useWidth(bars);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const runs = useMemo(() => [elapsedStates(a), elapsedStates(b)] as const, [a, b]);
  const rows = runs.map(({ states }) => ({ role: 'task', segments: segmentsOfStates(states, 0) }) as const);
  const range = rangeOf(runs, asOf);
  const folded = idleTimes(rows, range).filter(({ from }) => !unfolded.has(from));
  const scale = scaleOf(folded, { from: range.from, span: workedUntil(folded, range.to) - range.from }, width);
  return (
    <Section title="States" aside="Time since the start of each run">
      <div ref={bars} className="ml-6">
        <TimelineAxis
          left={0}
          width={width}
          scale={scale}
          unfold={({ from }) => setUnfolded(new Set([...unfolded, from]))}
        />
        {rows.map(({ segments }, index) => (
          <div key={index === 0 ? 'a' : 'b'} className="relative">
            <span className="absolute top-1 -left-6 text-xs text-quiet">{index === 0 ? 'A' : 'B'}</span>
            <Bars segments={segments} scale={scale} end={range.to} />
          </div>
        ))}
      </div>
      <div className="mt-2 grid grid-cols-2 gap-x-6 gap-y-4 max-sm:grid-cols-1">
        {runs.map(({ states }, index) => (
          <div key={index === 0 ? 'a' : 'b'} className="min-w-0">
            <h3 className="text-xs text-quiet">{index === 0 ? 'A' : 'B'}</h3>
            <States states={states} />
          </div>
        ))}
      </div>
    </Section>
  );
}

interface BarsProps {
  readonly segments: readonly Segment[];
  readonly scale: Scale;
  /** The end of unfinished segments. */
  readonly end: number;
}

function Bars({ segments, scale, end }: BarsProps) {
  return (
    <div aria-hidden="true" className="relative h-6 overflow-x-clip border-t border-line">
      {segments.map(({ from, to, kind, isWait }) => {
        const left = Math.max(0, scale.xOf(from));
        return (
          <span
            key={from}
            title={`${isWait ? 'Waits' : titleOf(kind)} ${duration(((to ?? end) - from) / 1000)}`}
            className={`absolute rounded-bar ${isWait ? 'top-2.5 h-1' : 'top-1.5 h-3'}`}
            style={{
              left,
              minWidth: 3,
              width: scale.xOf(to ?? end) - left,
              background: `var(--${isWait ? 'control' : tokenOf(kind)})`,
            }}
          />
        );
      })}
      {scale.breaks.map(({ left, width }) => (
        <span
          key={left}
          className="absolute inset-y-0 border-x border-dashed border-control bg-hover"
          style={{ left, width }}
        />
      ))}
    </div>
  );
}

function States({ states }: { readonly states: Elapsed['states'] }) {
  usePreferences();
  return (
    <ol>
      {states.length === 0 ? <li className="text-quiet">This run has no state yet.</li> : null}
      {states.map(({ id, type, name, at, message, timestamp }) => (
        <li key={id} className="ruled flex items-center gap-3 py-1">
          <time
            dateTime={timestamp}
            title={absoluteTime(timestamp)}
            className="tabular w-18 shrink-0 text-right text-quiet"
          >
            {at < 0 ? `−${duration(-at / 1000)}` : duration(at / 1000)}
          </time>
          <span className="shrink-0">
            <StateLabel kind={stateKind(type, name)} name={name} />
          </span>
          <span className="min-w-0 wrap-anywhere text-soft">{shortMessage(message)}</span>
        </li>
      ))}
    </ol>
  );
}
