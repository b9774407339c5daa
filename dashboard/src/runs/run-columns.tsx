/** The columns of the list of flow runs. */
import { Link } from '@tanstack/react-router';
import type { Column } from '../components/data-table.tsx';
import { Moment } from '../components/moment.tsx';
import { StateLabel } from '../design/state-mark.tsx';
import { shortMessage } from '../design/state-message.ts';
import { stateKind } from '../design/states.ts';
import { duration } from '../design/time.ts';
import type { RunRow } from './queries.ts';

export const runColumns: readonly Column<RunRow>[] = [
  {
    id: 'state',
    title: 'State',
    sorts: 'ascending',
    width: '8.5rem',
    line: 1,
    cell: (run) => <StateLabel kind={stateKind(run.state_type, run.state_name)} name={run.state_name} />,
  },
  {
    id: 'name',
    title: 'Run',
    sorts: 'ascending',
    width: 'minmax(9rem, 1.2fr)',
    line: 1,
    cell: (run) => (
      <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="font-medium hover:underline">
        {run.name}
      </Link>
    ),
  },
  {
    id: 'flow',
    title: 'Flow',
    width: 'minmax(7rem, 1fr)',
    line: 2,
    cell: (run) => <FilterLink name="flow" value={run.flow_name} />,
  },
  {
    id: 'deployment',
    title: 'Deployment',
    width: 'minmax(7rem, 1fr)',
    from: 1000,
    cell: (run) => (run.deployment_name ? <FilterLink name="deployment" value={run.deployment_name} /> : null),
  },
  {
    id: 'start',
    title: 'Start',
    sorts: 'descending',
    width: '6rem',
    line: 2,
    cell: (run) => <Moment time={run.start_time ?? run.expected_start_time} />,
  },
  {
    id: 'duration',
    title: 'Duration',
    sorts: 'descending',
    width: '6rem',
    align: 'right',
    from: 620,
    cell: (run) => (run.start_time ? duration(run.run_time) : null),
  },
  {
    id: 'tries',
    title: 'Tries',
    width: '3rem',
    align: 'right',
    from: 1000,
    cell: (run) => (run.run_count > 1 ? run.run_count : null),
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(8rem, 2fr)',
    from: 880,
    cell: (run) => (
      <span className="text-soft" title={run.state_message ?? undefined}>
        {run.state_type === 'COMPLETED' ? null : shortMessage(run.state_message)}
      </span>
    ),
  },
  {
    id: 'tags',
    title: 'Tags',
    width: 'minmax(4rem, .8fr)',
    from: 1150,
    cell: (run) => (
      <span className="inline-flex gap-1">
        {run.tags.slice(0, MOST_TAGS).map((tag) => (
          <FilterLink key={tag} name="tag" value={tag} />
        ))}
      </span>
    ),
  },
];

/** Tags shown in a row; the run's page shows all. */
const MOST_TAGS = 20;

function FilterLink({ name, value }: { readonly name: 'flow' | 'deployment' | 'tag'; readonly value: string }) {
  return (
    <Link
      from="/runs"
      to="/runs"
      search={(old) => ({ ...old, [name]: value })}
      className="text-soft hover:text-ink hover:underline"
      title={`Only runs with this ${name}`}
    >
      {value}
    </Link>
  );
}
