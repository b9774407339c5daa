/**
 * The logs of a run: they follow the latest line at the bottom, hold still while a person reads above, and can be
 * searched.
 */

import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ChevronRight, Download } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { apiPath } from '../../api/workspace.ts';
import { Button, buttonClass } from '../../components/button.tsx';
import { Choice } from '../../components/form/form-dialog.tsx';
import { Unread } from '../../components/states-of-loading.tsx';
import { counted } from '../../design/figures.ts';
import { preciseClockTime } from '../../design/time.ts';
import { usePreferences } from '../../preferences/preferences.ts';
import type { LogSearch } from '../list/run-fields.ts';
import { type LogLine, linesOf } from './log-lines.ts';
import { type Log, type LogsOf, logsQuery, MOST_LOGS } from './logs-query.ts';

const ROW = { dense: 18, comfortable: 22 } as const;
const AT_FOOT_PIXELS = 24;

const levels = [
  ['0', 'All levels'],
  ['20', 'Info and above'],
  ['30', 'Warnings and errors'],
  ['40', 'Errors'],
] as const;

function levelOf(level: number): { readonly name: string; readonly className: string } {
  if (level >= 50) return { name: 'CRIT', className: 'text-crashed-text' };
  if (level >= 40) return { name: 'ERROR', className: 'text-failed-text' };
  if (level >= 30) return { name: 'WARN', className: 'text-late-text' };
  if (level >= 20) return { name: 'INFO', className: 'text-soft' };
  return { name: 'DEBUG', className: 'text-quiet' };
}

interface Props {
  /** Undefined for a background task run. */
  readonly runId: string | undefined;
  /** Limits the log to this task run. */
  readonly taskId: string | undefined;
  /** Limits the log to the lines of this time. */
  readonly span?: LogsOf['span'];
  /** Flows of the subflow runs whose lines the log includes, by the ids of those runs. */
  readonly subflows?: ReadonlyMap<string, string> | undefined;
  /** Further choices beside the level. */
  readonly options?: ReactNode;
  /** Names of task runs by id. Without them, lines do not show their task run. */
  readonly names?: ReadonlyMap<string, string>;
  readonly isEnded: boolean;
  readonly search: LogSearch;
  readonly onSearch: (search: LogSearch) => void;
}

const noneOpened: ReadonlySet<string> = new Set();

/** The lines of a log that the search leaves, and whether the view stays at the last one. */
function useLog({ runId, taskId, span, subflows, isEnded, search }: Omit<Props, 'names' | 'onSearch' | 'options'>) {
  const level = Number(search.level ?? 0) || 0;
  const wanted = search.q ?? '';
  const [opened, setOpened] = useState(noneOpened);
  const subflowIds = useMemo(() => [...(subflows?.keys() ?? [])], [subflows]);
  const query = useQuery(logsQuery({ runId, taskId, subflowIds, span, level }));
  const { data: logs = [] } = query;
  const lines = useMemo(() => {
    const needle = wanted.toLowerCase();
    return logs
      .filter(({ message }) => needle === '' || message.toLowerCase().includes(needle))
      .flatMap((log) => linesOf(log, opened, needle === ''));
  }, [logs, wanted, opened]);
  return { query, logs, lines, level, wanted, isEnded, open: (key: string) => setOpened(new Set([...opened, key])) };
}

export function LogView(props: Props) {
  const { runId, taskId, names, subflows, options, isEnded, search, onSearch } = props;
  const log = useLog(props);
  const { query, logs, lines, level, wanted } = log;
  return (
    <section aria-label="Log lines">
      <div className="flex flex-wrap items-center gap-2 pb-2">
        <input
          type="search"
          data-filter
          aria-label="Lines that contain"
          placeholder="Search in the logs"
          className="field w-56"
          value={wanted}
          onChange={({ target }) => onSearch({ ...search, q: target.value || undefined })}
        />
        <Choice
          label="Least level"
          className="w-auto"
          value={String(level)}
          choices={levels}
          onChange={(chosen) => onSearch({ ...search, level: chosen === '0' ? undefined : chosen })}
        />
        {options}
        <span className="tabular text-xs text-quiet">
          {counted(lines.length, 'line')}
          {logs.length >= MOST_LOGS ? ` of the first ${MOST_LOGS.toLocaleString('en')} records` : ''}
        </span>
        <div className="flex-1" />
        {runId ? (
          <a className={buttonClass()} href={`${apiPath}/flow_runs/${runId}/logs/download`} download>
            <Download size={14} /> {taskId ? 'CSV of the whole run' : 'CSV'}
          </a>
        ) : null}
      </div>
      {lines.length > 0 ? (
        <Lines log={log} names={names} subflows={subflows} />
      ) : query.data ? (
        <NoLines
          isFiltered={wanted !== '' || level > 0}
          isEnded={isEnded}
          clear={() => onSearch({ level: undefined, q: undefined })}
        />
      ) : (
        <Unread of={query} rows={10} />
      )}
    </section>
  );
}

interface LinesProps {
  readonly log: ReturnType<typeof useLog>;
  readonly names: Props['names'];
  readonly subflows: Props['subflows'];
}

function Lines({ log: { lines, wanted, isEnded, open }, names, subflows }: LinesProps) {
  const { density } = usePreferences();
  const [isFollowing, setFollowing] = useState(!isEnded);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW[density],
    overscan: 20,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights of all lines change with it.
  useEffect(() => virtual.measure(), [density]);
  useEffect(() => {
    if (isFollowing && lines.length > 0) virtual.scrollToIndex(lines.length - 1);
  }, [isFollowing, lines.length, virtual]);
  return (
    <div className="relative">
      <div
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        role="log"
        aria-label="Logs"
        aria-live="off"
        className="max-h-[60vh] overflow-auto rounded-panel border border-line bg-surface py-1 font-mono text-xs"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setFollowing(!isEnded && scrollHeight - scrollTop - clientHeight < AT_FOOT_PIXELS)
        }
      >
        <div className="relative min-w-max" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, size }) => {
            const line = lines[index];
            if (!line) return null;
            return (
              <div
                key={line.key}
                className="absolute top-0 left-0 flex w-full items-center gap-3 px-3 whitespace-pre hover:bg-hover"
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                <Line
                  line={line}
                  subflow={subflows && (subflows.get(line.log.flow_run_id ?? '') ?? '')}
                  task={names && (line.log.task_run_id ? (names.get(line.log.task_run_id) ?? '') : '')}
                  wanted={wanted}
                  open={() => open(line.key)}
                />
              </div>
            );
          })}
        </div>
      </div>
      {isFollowing || isEnded ? null : (
        <Button
          className="absolute right-4 bottom-3 shadow-raised"
          onClick={() => {
            setFollowing(true);
            virtual.scrollToIndex(lines.length - 1);
          }}
        >
          <ArrowDown size={14} /> Follow
        </Button>
      )}
    </div>
  );
}

interface LineProps {
  readonly line: LogLine<Log>;
  /** The flow of the subflow; empty for the run itself, undefined if no line is of a subflow. */
  readonly subflow: string | undefined;
  /** Undefined if no line names its task. */
  readonly task: string | undefined;
  readonly wanted: string;
  readonly open: () => void;
}

function Line({ line: { log, text, isFirst, folded }, subflow, task, wanted, open }: LineProps) {
  const { name, className } = levelOf(log.level);
  return (
    <>
      <span className="w-22 shrink-0 text-quiet select-none">{isFirst ? preciseClockTime(log.timestamp) : ''}</span>
      <span className={`w-11 shrink-0 select-none ${className}`}>{isFirst ? name : ''}</span>
      {subflow === undefined ? null : (
        <span className="w-36 shrink-0 truncate text-quiet max-md:hidden" title={subflow}>
          {isFirst ? subflow : ''}
        </span>
      )}
      {task === undefined ? null : (
        <span className="w-36 shrink-0 truncate text-quiet max-md:hidden" title={task}>
          {isFirst ? task : ''}
        </span>
      )}
      {folded > 0 ? (
        <button type="button" onClick={open} className="inline-flex items-center gap-1 text-quiet hover:text-ink">
          <ChevronRight size={12} />
          {folded} {folded === 1 ? 'frame' : 'frames'} of libraries
        </button>
      ) : (
        <span className={log.level >= 40 ? className : ''}>
          <Marked text={text} wanted={wanted} />
        </span>
      )}
    </>
  );
}

function Marked({ text, wanted }: { readonly text: string; readonly wanted: string }) {
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at === -1) return text;
  const end = at + wanted.length;
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-bar bg-selected text-ink underline">{text.slice(at, end)}</mark>
      <Marked text={text.slice(end)} wanted={wanted} />
    </>
  );
}

interface NoLinesProps {
  readonly isFiltered: boolean;
  readonly isEnded: boolean;
  readonly clear: () => void;
}

function NoLines({ isFiltered, isEnded, clear }: NoLinesProps) {
  if (!isFiltered) {
    return <p className="py-6 text-quiet">{isEnded ? 'Nothing was logged.' : 'Nothing is logged yet.'}</p>;
  }
  return (
    <p className="flex items-center gap-3 py-6 text-quiet">
      No line matches.
      <Button onClick={clear}>Show all lines</Button>
    </p>
  );
}
