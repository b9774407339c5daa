/** Artifacts as rows: of the workspace, of a run, or the versions of a key. */
import { Link, useNavigate } from '@tanstack/react-router';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Moment } from '../components/moment.tsx';
import { Progress } from './artifact-body.tsx';
import type { ArtifactRow } from './queries.ts';

const columns: readonly Column<ArtifactRow>[] = [
  {
    id: 'key',
    title: 'Key',
    width: 'minmax(10rem, 1.5fr)',
    line: 1,
    cell: ({ id, key }) =>
      key ? (
        <Link to="/artifacts/key/$key" params={{ key }} className="font-medium hover:underline">
          {key}
        </Link>
      ) : (
        <Link to="/artifacts/artifact/$id" params={{ id }} className="text-soft hover:underline">
          without a key
        </Link>
      ),
  },
  { id: 'type', title: 'Type', width: '6rem', line: 1, cell: ({ type }) => <span className="text-soft">{type}</span> },
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(8rem, 2fr)',
    from: 620,
    cell: ({ description, progress }) =>
      progress === null ? (
        <span className="text-soft" title={description ?? undefined}>
          {description?.split('\n', 1)[0]}
        </span>
      ) : (
        <Progress value={progress} />
      ),
  },
  {
    id: 'run',
    title: 'Run',
    width: 'minmax(9rem, 1.5fr)',
    line: 2,
    cell: ({ flow_run_id, flow_run_name, flow_name }) =>
      flow_run_id && flow_run_name ? (
        <Link to="/runs/flow-run/$id" params={{ id: flow_run_id }} className="text-soft hover:underline">
          {flow_name} / {flow_run_name}
        </Link>
      ) : null,
  },
  {
    id: 'task',
    title: 'Task run',
    width: 'minmax(6rem, 1fr)',
    from: 880,
    cell: ({ task_run_id, task_run_name }) =>
      task_run_id && task_run_name ? (
        <Link to="/runs/task-run/$id" params={{ id: task_run_id }} className="text-soft hover:underline">
          {task_run_name}
        </Link>
      ) : null,
  },
  { id: 'created', title: 'Made', width: '6rem', line: 2, cell: ({ updated }) => <Moment time={updated} /> },
];

interface Props {
  readonly label: string;
  readonly artifacts: readonly ArtifactRow[];
  readonly onEnd: () => void;
}

export function ArtifactTable({ label, artifacts, onEnd }: Props) {
  const navigate = useNavigate();
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={artifacts}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/artifacts/artifact/$id', params: { id } })}
      onEnd={onEnd}
    />
  );
}
