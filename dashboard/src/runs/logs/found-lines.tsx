/** Log lines of several runs, newest first. Each has an address in the log of its run. */
import { Link } from '@tanstack/react-router';
import { memo, useEffect, useRef } from 'react';
import { Narrowable } from '../../components/list/narrowing.tsx';
import { shortened } from '../../components/text/shortened.ts';
import { recordTime } from '../../design/time.ts';
import { usePreferences } from '../../preferences/preferences.ts';
import { levelOf } from './log-level.ts';
import { LogText } from './log-text.tsx';
import type { FoundLine } from './search-query.ts';
import { excerptOf } from './text-parts.ts';

/** Lines of one message that are shown. */
const MOST_LINES = 8;

interface Props {
  readonly lines: readonly FoundLine[];
  readonly wanted: readonly string[];
  readonly onEnd: () => void;
}

export function FoundLines({ lines, wanted, onEnd }: Props) {
  const { wrapsLogs } = usePreferences();
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      role="log"
      aria-label="Found lines"
      aria-live="off"
      className="mx-6 overflow-x-auto rounded-panel border border-line bg-surface py-1 max-sm:mx-4"
    >
      <ol className={wrapsLogs ? '' : 'min-w-max'}>
        {lines.map((line) => (
          <Row key={line.id} line={line} wanted={wanted} isWrapped={wrapsLogs} />
        ))}
      </ol>
      <End onSeen={onEnd} count={lines.length} />
    </div>
  );
}

interface RowProps {
  readonly line: FoundLine;
  readonly wanted: readonly string[];
  readonly isWrapped: boolean;
}

const Row = memo(function Row({ line, wanted, isWrapped }: RowProps) {
  const { name, className } = levelOf(line.level);
  return (
    <li className="flex items-baseline gap-3 px-3 py-0.5 [content-visibility:auto] hover:bg-hover max-md:flex-wrap max-md:gap-y-0">
      <span className="tabular w-40 shrink-0 font-mono text-xs leading-5 text-quiet">
        <Address line={line} />
      </span>
      <span className={`w-11 shrink-0 font-mono text-xs leading-5 ${className}`}>{name}</span>
      <span className="w-52 shrink-0 truncate max-md:basis-full">
        <Owner line={line} />
      </span>
      <span
        className={`min-w-0 flex-1 font-mono text-xs leading-5 max-md:basis-full ${isWrapped ? 'wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre'} ${line.level >= 40 ? className : ''}`}
      >
        <Message line={line} wanted={wanted} />
      </span>
    </li>
  );
});

/** The time, which leads to the line in the log of its run. */
function Address({ line: { id, timestamp, flow_run_id, task_run_id } }: Pick<RowProps, 'line'>) {
  const time = recordTime(timestamp);
  const owner = flow_run_id ?? task_run_id;
  if (owner === null) return time;
  const ofRun = flow_run_id !== null;
  return (
    <Link
      to={ofRun ? '/runs/flow-run/$id' : '/runs/task-run/$id'}
      params={{ id: owner }}
      search={{ line: id }}
      className="hover:text-ink hover:underline"
      title={`Open the line in its ${ofRun ? 'run' : 'task run'}`}
    >
      {time}
    </Link>
  );
}

/** The run, and the task run, of the line. */
function Owner({
  line: { flow_run_id, flow_run_name, flow_name, task_run_id, task_run_name, name },
}: Pick<RowProps, 'line'>) {
  if (flow_run_id === null && task_run_id === null) {
    return (
      <Narrowable field="logger" value={name}>
        {shortened(name, 100)}
      </Narrowable>
    );
  }
  return (
    <span className="text-soft">
      {flow_run_id === null ? null : (
        <Narrowable field="run" value={flow_run_id} words={flow_run_name ?? flow_run_id} isLinked>
          <Link
            to="/runs/flow-run/$id"
            params={{ id: flow_run_id }}
            className="font-medium text-ink hover:underline"
            title={flow_name === null ? flow_run_id : `${flow_name} / ${flow_run_name}`}
          >
            {flow_run_name ?? `run …${flow_run_id.slice(-8)}`}
          </Link>
        </Narrowable>
      )}
      {task_run_id === null ? null : (
        <>
          {flow_run_id === null ? '' : ' · '}
          <Link to="/runs/task-run/$id" params={{ id: task_run_id }} className="hover:underline">
            {task_run_name ?? `task …${task_run_id.slice(-8)}`}
          </Link>
        </>
      )}
    </span>
  );
}

function Message({ line: { message, is_cut }, wanted }: Pick<RowProps, 'line' | 'wanted'>) {
  const parts = excerptOf(message, wanted, MOST_LINES);
  return (
    <>
      {parts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one message never move.
        <span key={index} className="block">
          {text === undefined ? (
            <span className="text-quiet">…</span>
          ) : (
            <LogText text={shortened(text)} wanted={wanted} />
          )}
        </span>
      ))}
      {is_cut ? <span className="block text-quiet">… The log of the run has the rest.</span> : null}
    </>
  );
}

/** Calls `onSeen` when the end of the list comes near. */
function End({ onSeen, count }: { readonly onSeen: () => void; readonly count: number }) {
  const end = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an end that stays in sight after a page is seen again.
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && onSeen(), {
      rootMargin: '600px',
    });
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  }, [onSeen, count]);
  return <div ref={end} />;
}
