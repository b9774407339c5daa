/** The work of a flow run: its task runs over time or by dependency, and its logs. */
import { partialMatchKey, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { Section } from '../../components/page.tsx';
import { Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { isEnded } from '../../design/states.ts';
import { MOST_NODES } from '../graph/graph-model.ts';
import { GraphView } from '../graph/graph-view.tsx';
import type { LogSearch } from '../list/run-fields.ts';
import { LogView } from '../logs/log-view.tsx';
import { type FlowRunView, subflowsQuery, taskRunQuery, timelineQuery } from '../queries.ts';
import { Timeline } from '../timeline/timeline.tsx';
import type { Attempt } from './why/attempts.tsx';

const TIMELINE_HEIGHT = 308;

interface Props {
  readonly view: FlowRunView;
  /** Limits the work to this attempt. */
  readonly attempt: Attempt | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
  readonly search: LogSearch;
  readonly onSearch: (search: LogSearch) => void;
  readonly isGraph: boolean;
  readonly onGraph: (isGraph: boolean) => void;
  readonly errorsOnly: boolean;
  readonly onErrorsOnly: (errorsOnly: boolean) => void;
  /** `yes` or `no`; by default, the log of a failed run includes those of its subflows. */
  readonly withSubflows: string | undefined;
  readonly onSubflows: (choice: 'yes' | 'no') => void;
}

export function FlowRunWork(props: Props) {
  const { view, attempt, chosen, onChoose, search, onSearch, isGraph, errorsOnly } = props;
  const { flow_run: run } = view;
  const {
    data: timeline,
    isPending,
    error,
    refetch,
  } = useQuery({
    ...timelineQuery(run.id, { givers: isGraph, attempt: attempt?.number }),
    // The known data of this run is shown until the dependencies are read too.
    placeholderData: (old, query) =>
      query && partialMatchKey(query.queryKey, ['/views/flow_runs/{id}/timeline', { params: { path: { id: run.id } } }])
        ? old
        : undefined,
  });
  const names = useMemo(
    () => new Map(timeline?.id.map((id, index) => [id, timeline.name[index] as string])),
    [timeline],
  );
  const chosenName = chosen === undefined ? undefined : names.get(chosen);
  const subflows = useSubflowsInLog(props, chosen === undefined && (timeline?.kind.includes('flow-run') ?? false));
  const isSubflow = chosen !== undefined && timeline?.kind[timeline.id.indexOf(chosen)] === 'flow-run';
  const { data: task } = useQuery({
    ...taskRunQuery(chosen ?? ''),
    enabled: chosen !== undefined && timeline !== undefined && !isSubflow,
  });
  const neighbours = useMemo(
    () =>
      task && {
        givers: task.inputs.flatMap(({ runs }) => runs.map(({ id }) => id)),
        takers: task.used_by.map(({ id }) => id),
      },
    [task],
  );
  return (
    <div className="in-order flex flex-col gap-6">
      <Section
        title="Tasks"
        className="relative"
        aside={timeline && timeline.id.length > 0 ? <ViewChoice {...props} /> : null}
      >
        {isPending ? (
          <Skeleton rows={6} />
        ) : !timeline ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : timeline.id.length === 0 ? (
          <p className="text-quiet">This run has no task runs{isEnded(run.state_type) ? '.' : ' yet.'}</p>
        ) : isGraph && timeline.total > MOST_NODES ? (
          <p className="text-quiet">
            The graph of a run with more than {MOST_NODES.toLocaleString('en')} task runs is not drawn.
          </p>
        ) : isGraph ? (
          <GraphView view={timeline} chosen={chosen} onChoose={onChoose} height={TIMELINE_HEIGHT} />
        ) : (
          <Timeline
            view={timeline}
            chosen={chosen}
            neighbours={neighbours}
            onChoose={onChoose}
            errorsOnly={errorsOnly}
            height={TIMELINE_HEIGHT}
          />
        )}
      </Section>
      <Section
        title={chosenName ? `Logs of ${chosenName}` : 'Logs'}
        aside={
          chosen === undefined ? null : (
            <span className="flex gap-4">
              <Link
                to={isSubflow ? '/runs/flow-run/$id' : '/runs/task-run/$id'}
                params={{ id: chosen }}
                className="text-accent hover:underline"
              >
                Open the {isSubflow ? 'subflow run' : 'task run'}
              </Link>
              <button type="button" className="hover:underline" onClick={() => onChoose(undefined)}>
                Logs of the whole run
              </button>
            </span>
          )
        }
      >
        <LogView
          runId={isSubflow ? chosen : run.id}
          taskId={isSubflow ? undefined : chosen}
          names={names}
          span={attempt}
          subflows={subflows.names}
          options={subflows.choice}
          isEnded={isEnded(run.state_type)}
          search={search}
          onSearch={onSearch}
        />
      </Section>
    </div>
  );
}

interface SubflowsInLog {
  /** The flows of the subflow runs whose lines the log includes, by their ids. */
  readonly names?: ReadonlyMap<string, string>;
  /** Switches them on and off; absent for a log that cannot include them. */
  readonly choice?: ReactNode;
}

function useSubflowsInLog({ view, withSubflows, onSubflows }: Props, hasSubflows: boolean): SubflowsInLog {
  const isOn = withSubflows ? withSubflows === 'yes' : view.failure !== null;
  const { data } = useQuery({ ...subflowsQuery(view.flow_run.id), enabled: hasSubflows && isOn });
  const names = useMemo(() => new Map(data?.subflows.map(({ id, flow_name }) => [id, flow_name])), [data]);
  if (!hasSubflows) return {};
  return {
    ...(isOn && names.size > 0 && { names }),
    choice: (
      <label className="flex items-center gap-1.5 text-soft">
        <input type="checkbox" checked={isOn} onChange={({ target }) => onSubflows(target.checked ? 'yes' : 'no')} />
        Include subflows{data?.is_complete === false ? `, the first ${names.size}` : ''}
      </label>
    ),
  };
}

const choiceClass = 'hover:text-ink aria-pressed:font-medium aria-pressed:text-ink';

function ViewChoice({ isGraph, onGraph, errorsOnly, onErrorsOnly }: Props) {
  return (
    <div className="mr-18 flex items-baseline gap-6" data-screen-only>
      {isGraph ? null : (
        <button
          type="button"
          aria-pressed={errorsOnly}
          onClick={() => onErrorsOnly(!errorsOnly)}
          className={choiceClass}
        >
          Errors only
        </button>
      )}
      <fieldset aria-label="Tasks as" className="flex gap-3">
        {[false, true].map((asGraph) => (
          <button
            key={String(asGraph)}
            type="button"
            aria-pressed={asGraph === isGraph}
            onClick={() => onGraph(asGraph)}
            className={choiceClass}
          >
            {asGraph ? 'Graph' : 'Timeline'}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
