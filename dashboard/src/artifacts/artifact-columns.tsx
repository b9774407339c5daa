/** The columns of artifacts: of the workspace, or of a run. */

import { Link, linkOptions } from '@tanstack/react-router';
import { markdownExcerpt } from '../components/markdown/markdown-excerpt.ts';
import { linkColumn, momentColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { Progress } from './artifact-body.tsx';
import type { ArtifactRow } from './queries.ts';

export const pageOf = ({ id }: ArtifactRow) => linkOptions({ to: '/artifacts/artifact/$id', params: { id } });

export const columns: readonly Column<ArtifactRow>[] = [
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
  textColumn('type', 'Type', ({ type }) => type, { width: '6rem', line: 1 }),
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(8rem, 2fr)',
    from: 620,
    cell: ({ description, progress }) =>
      progress === null ? (
        <span className="text-soft" title={description ?? undefined}>
          {description && markdownExcerpt(description)}
        </span>
      ) : (
        <Progress value={progress} />
      ),
  },
  linkColumn(
    'run',
    'Run',
    ({ flow_run_name, flow_name }) => flow_run_name && `${flow_name} / ${flow_run_name}`,
    ({ flow_run_id: id }) => linkOptions({ to: '/runs/flow-run/$id', params: { id: id ?? '' } }),
    { width: 'minmax(9rem, 1.5fr)', line: 2 },
  ),
  linkColumn(
    'task',
    'Task run',
    ({ task_run_name }) => task_run_name,
    ({ task_run_id: id }) => linkOptions({ to: '/runs/task-run/$id', params: { id: id ?? '' } }),
    { width: 'minmax(6rem, 1fr)', from: 880 },
  ),
  momentColumn('created', 'Created', ({ updated }) => updated, { line: 2 }),
];
