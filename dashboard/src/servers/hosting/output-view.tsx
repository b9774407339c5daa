/** Lines that a build or a program printed; new ones are appended. */
import { useEffect, useRef, useState } from 'react';
import { gathered, live as stream } from '../../api/live.ts';
import { Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { preciseClockTime } from '../../design/time.ts';
import type { ServerPath } from '../queries.ts';
import { type OutputLine, readOutput } from './hosted-queries.ts';

/** Interval of reading lines of a program in another replica, which the stream does not report. */
const ELSEWHERE_MILLISECONDS = 5000;
const AWAY_MILLISECONDS = 1000;
const MOST_LINES = 5000;
const AT_FOOT_PIXELS = 24;

interface Props {
  readonly path: ServerPath;
  /** The build with the output; the programs when absent. */
  readonly build?: string;
  /** Continues to read while it is true. */
  readonly isLive: boolean;
  readonly empty: string;
}

export function OutputView({ path: { org, server }, build, isLive, empty }: Props) {
  const [lines, setLines] = useState<readonly OutputLine[]>();
  const [error, setError] = useState<unknown>();
  const scroller = useRef<HTMLElement>(null);
  const isFollowing = useRef(true);
  const live = useRef(isLive);
  live.current = isLive;
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let cursor: string | undefined;
    let reading: Promise<void> | undefined;
    const read = async () => {
      clearTimeout(timer);
      let wait = stream.status === 'live' ? ELSEWHERE_MILLISECONDS : AWAY_MILLISECONDS;
      let mayFollow = true;
      try {
        const wasLive = live.current;
        const page = await readOutput({ org, server }, build, cursor, stop.signal);
        cursor = page.meta.nextCursor;
        setError(undefined);
        setLines((old = []) =>
          page.items.length > 0 || old.length === 0 ? [...old, ...page.items].slice(-MOST_LINES) : old,
        );
        // Reads once more after the end, to get its last lines.
        mayFollow = wasLive || page.items.length > 0;
      } catch (reason) {
        if (stop.signal.aborted) return;
        setError(reason);
        wait = ELSEWHERE_MILLISECONDS;
      }
      if (mayFollow && !stop.signal.aborted) timer = setTimeout(again, wait);
    };
    // One reading at a time: each starts where the previous one ended.
    const again = () => {
      reading = (reading ?? Promise.resolve()).then(() => (stop.signal.aborted ? undefined : read()));
    };
    const { call, cancel } = gathered(again);
    const topic = build === undefined ? 'server_output' : 'server_build';
    const silence = stream.listen(({ type }) => {
      if (type === topic || type === 'resync') call();
    });
    setLines(undefined);
    again();
    return () => {
      silence();
      cancel();
      stop.abort();
      clearTimeout(timer);
    };
  }, [org, server, build]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows when lines come.
  useEffect(() => {
    const { current: element } = scroller;
    if (element && isFollowing.current) element.scrollTop = element.scrollHeight;
  }, [lines]);
  if (!lines) return error ? <Failed error={error} /> : <Skeleton rows={6} />;
  if (lines.length === 0) return <p className="border-t border-line py-2 text-soft">{empty}</p>;
  return (
    <section
      ref={scroller}
      aria-label="Output"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what scrolls.
      tabIndex={0}
      className="max-h-[28rem] overflow-auto rounded-control border border-line bg-surface py-1"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight < AT_FOOT_PIXELS;
      }}
    >
      {lines.map(({ id, occurredAt, stream, message }) => (
        <div key={id} className="grid min-w-max grid-cols-[6.5rem_3.5rem_auto] gap-x-3 px-3 font-mono text-xs">
          <time dateTime={occurredAt} className="tabular text-quiet">
            {preciseClockTime(occurredAt)}
          </time>
          <span className={stream === 'stderr' ? 'text-late-text' : 'text-quiet'}>{stream}</span>
          <span className={`whitespace-pre ${stream === 'system' ? 'text-accent' : ''}`}>{message}</span>
        </div>
      ))}
    </section>
  );
}
