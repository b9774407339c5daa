/** Runs in the page of another object: without filters and choice of columns. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { components } from '../../api/schema.gen.ts';
import { StateLabel } from '../../design/state-mark.tsx';
import { reasonText } from '../../design/state-message.ts';
import { stateKind } from '../../design/states.ts';
import { duration } from '../../design/time.ts';
import { type Column, DataTable } from '../table/data-table.tsx';
import { Moment } from '../text/moment.tsx';

type RunRow = components['schemas']['RunRow'];

const columns: readonly Column<RunRow>[] = [
  {
    id: 'state',
    title: 'State',
    width: '9.5rem',
    line: 1,
    cell: (run) => <StateLabel kind={stateKind(run.state_type, run.state_name)} name={run.state_name} />,
  },
  {
    id: 'name',
    title: 'Run',
    width: 'minmax(9rem, 1fr)',
    line: 1,
    isFirst: true,
    cell: (run) => (
      <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="font-medium hover:underline">
        {run.name}
      </Link>
    ),
  },
  {
    id: 'deployment',
    title: 'Deployment',
    width: 'minmax(8rem, 1fr)',
    from: 900,
    cell: (run) =>
      run.deployment_id && run.deployment_name ? (
        <Link to="/deployments/deployment/$id" params={{ id: run.deployment_id }} className="text-soft hover:underline">
          {run.deployment_name}
        </Link>
      ) : null,
  },
  {
    id: 'start',
    title: 'Start',
    width: '6rem',
    line: 2,
    cell: (run) => <Moment time={run.start_time ?? run.expected_start_time} />,
  },
  {
    id: 'duration',
    title: 'Duration',
    width: '6rem',
    align: 'right',
    from: 720,
    cell: (run) => (run.start_time ? duration(run.run_time) : null),
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(4rem, 2fr)',
    line: 2,
    cell: (run) => (
      <span className="text-soft" title={run.reason ?? run.state_message ?? undefined}>
        {reasonText(run)}
      </span>
    ),
  },
];

interface Props {
  readonly label: string;
  readonly runs: readonly RunRow[];
  /** Names of columns with the same value in each row. */
  readonly without?: readonly string[];
}

export function RunLines({ label, runs, without = [] }: Props) {
  const navigate = useNavigate();
  return (
    <div className="-mx-6 max-sm:-mx-4">
      <DataTable
        label={label}
        columns={columns.filter(({ id }) => !without.includes(id))}
        rows={runs}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/runs/flow-run/$id', params: { id } })}
      />
    </div>
  );
}
