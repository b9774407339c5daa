/** The work of a flow run: its task runs over time or by dependency, and its logs. */
import { partialMatchKey, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Section } from '../../components/page.tsx';
import { Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { isEnded } from '../../design/states.ts';
import { MOST_NODES } from '../graph/graph-model.ts';
import { GraphView } from '../graph/graph-view.tsx';
import type { LogSearch } from '../list/run-fields.ts';
import { LogView } from '../logs/log-view.tsx';
import { type FlowRunView, taskRunQuery, timelineQuery } from '../queries.ts';
import { Timeline } from '../timeline/timeline.tsx';

const TIMELINE_HEIGHT = 308;

interface Props {
  readonly view: FlowRunView;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
  readonly search: LogSearch;
  readonly onSearch: (search: LogSearch) => void;
  readonly isGraph: boolean;
  readonly onGraph: (isGraph: boolean) => void;
  readonly errorsOnly: boolean;
  readonly onErrorsOnly: (errorsOnly: boolean) => void;
}

export function FlowRunWork(props: Props) {
  const { view, chosen, onChoose, search, onSearch, isGraph, errorsOnly } = props;
  const { flow_run: run } = view;
  const {
    data: timeline,
    isPending,
    error,
    refetch,
  } = useQuery({
    ...timelineQuery(run.id, isGraph),
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
          isEnded={isEnded(run.state_type)}
          search={search}
          onSearch={onSearch}
        />
      </Section>
    </div>
  );
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
