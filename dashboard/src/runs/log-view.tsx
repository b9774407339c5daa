/** The logs of a run: they follow what happens at the foot, hold still when one reads above, and are searched in place. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, Download } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { answered, api } from '../api/client.ts';
import { apiPath } from '../api/workspace.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { preciseClockTime } from '../design/time.ts';
import { usePreferences } from '../preferences/preferences.ts';

const PAGE_SIZE = 200;
const ROW = { dense: 18, comfortable: 22 } as const;
const AT_FOOT_PIXELS = 24;

const levels = [
  [0, 'All'],
  [20, 'Info'],
  [30, 'Warning'],
  [40, 'Error'],
] as const;

function levelOf(level: number): { readonly name: string; readonly className: string } {
  if (level >= 50) return { name: 'CRIT', className: 'text-crashed-text' };
  if (level >= 40) return { name: 'ERROR', className: 'text-failed-text' };
  if (level >= 30) return { name: 'WARN', className: 'text-late-text' };
  if (level >= 20) return { name: 'INFO', className: 'text-soft' };
  return { name: 'DEBUG', className: 'text-quiet' };
}

interface Props {
  readonly runId: string;
  /** Only the lines of this task run. */
  readonly taskId: string | undefined;
  readonly names: ReadonlyMap<string, string>;
  readonly isEnded: boolean;
}

export function LogView({ runId, taskId, names, isEnded }: Props) {
  const { density } = usePreferences();
  const [level, setLevel] = useState(0);
  const [wanted, setWanted] = useState('');
  const [isFollowing, setFollowing] = useState(!isEnded);
  const scroller = useRef<HTMLDivElement>(null);
  const query = useInfiniteQuery({
    queryKey: ['logs', runId, taskId, level],
    meta: { watches: [runId] },
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.POST('/logs/filter', {
          signal,
          body: {
            logs: {
              flow_run_id: { any_: [runId] },
              ...(taskId ? { task_run_id: { any_: [taskId] } } : {}),
              ...(level > 0 ? { level: { ge_: level } } : {}),
            },
            sort: 'TIMESTAMP_ASC',
            limit: PAGE_SIZE,
            offset: pageParam,
          },
        }),
      ),
    getNextPageParam: (page, _pages, offset) => (page.length === PAGE_SIZE ? offset + PAGE_SIZE : undefined),
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const lines = useMemo(() => {
    const needle = wanted.toLowerCase();
    const logs = query.data?.pages.flat() ?? [];
    return logs.flatMap((log) => {
      if (needle !== '' && !log.message.toLowerCase().includes(needle)) return [];
      return log.message
        .split('\n')
        .map((text, index) => ({ ...log, text, isFirst: index === 0, key: `${log.id} ${index}` }));
    });
  }, [query.data, wanted]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW[density],
    overscan: 20,
  });
  useEffect(() => {
    if (isFollowing && lines.length > 0) virtual.scrollToIndex(lines.length - 1);
  }, [isFollowing, lines.length, virtual]);
  return (
    <section aria-label="Logs">
      <div className="flex flex-wrap items-center gap-2 pb-2">
        <input
          type="search"
          data-filter
          aria-label="Lines that contain"
          placeholder="Search in the logs"
          className="field w-56"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
        <select
          aria-label="Least level"
          className="field w-auto"
          value={level}
          onChange={(event) => setLevel(Number(event.target.value))}
        >
          {levels.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <span className="tabular text-xs text-quiet">{lines.length.toLocaleString('en')} lines</span>
        <div className="flex-1" />
        <a className={buttonClass()} href={`${apiPath}/flow_runs/${runId}/logs/download`} download>
          <Download size={14} /> CSV
        </a>
      </div>
      {query.isPending ? (
        <Skeleton rows={10} />
      ) : query.isError && lines.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : lines.length === 0 ? (
        <p className="py-6 text-quiet">
          {wanted || level > 0 ? 'No line matches.' : 'This run has logged nothing yet.'}
        </p>
      ) : (
        <div className="relative">
          <div
            ref={scroller}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
            tabIndex={0}
            role="log"
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
                const { name, className } = levelOf(line.level);
                const task = line.task_run_id ? names.get(line.task_run_id) : undefined;
                return (
                  <div
                    key={line.key}
                    className="absolute top-0 left-0 flex w-full items-center gap-3 px-3 whitespace-pre hover:bg-hover"
                    style={{ height: size, transform: `translateY(${start}px)` }}
                  >
                    <span className="w-22 shrink-0 text-quiet select-none">
                      {line.isFirst ? preciseClockTime(line.timestamp) : ''}
                    </span>
                    <span className={`w-11 shrink-0 select-none ${className}`}>{line.isFirst ? name : ''}</span>
                    <span className="w-36 shrink-0 truncate text-quiet max-md:hidden" title={task}>
                      {line.isFirst ? (task ?? '') : ''}
                    </span>
                    <span className={line.level >= 40 ? className : ''}>{line.text}</span>
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
      )}
    </section>
  );
}
