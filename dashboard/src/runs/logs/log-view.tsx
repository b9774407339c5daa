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
import { levelOf } from './log-level.ts';
import { type LogLine, linesOf } from './log-lines.ts';
import { LogText } from './log-text.tsx';
import { type Log, type LogsOf, logsQuery, MOST_LOGS } from './logs-query.ts';
import { WrapButton } from './wrapping.tsx';

const ROW = { dense: 18, comfortable: 22 } as const;
const AT_FOOT_PIXELS = 24;

const levels = [
  ['0', 'All levels'],
  ['20', 'Info and above'],
  ['30', 'Warnings and errors'],
  ['40', 'Errors'],
] as const;

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
        <WrapButton />
        {runId ? (
          <a className={buttonClass()} href={`${apiPath}/flow_runs/${runId}/logs/download`} download>
            <Download size={14} /> {taskId ? 'CSV of the whole run' : 'CSV'}
          </a>
        ) : null}
      </div>
      {lines.length > 0 ? (
        <Lines
          log={log}
          names={names}
          subflows={subflows}
          shared={search.line}
          onShare={(line) => onSearch({ ...search, line })}
        />
      ) : query.data ? (
        <NoLines
          isFiltered={wanted !== '' || level > 0}
          isEnded={isEnded}
          clear={() => onSearch({ level: undefined, q: undefined, line: search.line })}
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
  /** The id of the record that the address names. */
  readonly shared: string | undefined;
  readonly onShare: (id: string | undefined) => void;
}

function Lines({ log: { lines, wanted, isEnded, open }, names, subflows, shared, onShare }: LinesProps) {
  const { density, wrapsLogs } = usePreferences();
  const [isFollowing, setFollowing] = useState(!isEnded && shared === undefined);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW[density],
    overscan: 20,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights of all lines change with them.
  useEffect(() => virtual.measure(), [density, wrapsLogs]);
  const sharedIndex = shared === undefined ? -1 : lines.findIndex(({ log }) => log.id === shared);
  const isFound = sharedIndex >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each shared line, although lines arrive above it.
  useEffect(() => {
    if (!isFound) return;
    virtual.scrollToIndex(sharedIndex, { align: 'center' });
    scroller.current?.scrollIntoView({ block: 'nearest' });
  }, [shared, isFound]);
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
        <div className={`relative ${wrapsLogs ? '' : 'min-w-max'}`} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index];
            if (!line) return null;
            return (
              <div
                key={line.key}
                ref={virtual.measureElement}
                data-index={index}
                aria-current={line.log.id === shared || undefined}
                className={`absolute top-0 left-0 flex w-full items-start gap-3 px-3 hover:bg-hover aria-current:bg-selected ${wrapsLogs ? 'whitespace-pre-wrap' : 'whitespace-pre'}`}
                style={{
                  minHeight: ROW[density],
                  lineHeight: `${ROW[density]}px`,
                  transform: `translateY(${start}px)`,
                }}
              >
                <Line
                  line={line}
                  subflow={subflows && (subflows.get(line.log.flow_run_id ?? '') ?? '')}
                  task={names && (line.log.task_run_id ? (names.get(line.log.task_run_id) ?? '') : '')}
                  wanted={wanted}
                  open={() => open(line.key)}
                  share={() => onShare(line.log.id === shared ? undefined : line.log.id)}
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
  /** Puts the line into the address, or takes it out. */
  readonly share: () => void;
}

function Line({ line: { log, text, isFirst, folded }, subflow, task, wanted, open, share }: LineProps) {
  const { name, className } = levelOf(log.level);
  return (
    <>
      <span className="w-22 shrink-0 text-quiet select-none">
        {isFirst ? (
          <button
            type="button"
            title="Put this line into the address"
            className="hover:text-ink hover:underline"
            onClick={share}
          >
            {preciseClockTime(log.timestamp)}
          </button>
        ) : null}
      </span>
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
        <span className={`min-w-0 wrap-anywhere ${log.level >= 40 ? className : ''}`}>
          <LogText text={text} wanted={wanted === '' ? [] : [wanted]} />
        </span>
      )}
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
