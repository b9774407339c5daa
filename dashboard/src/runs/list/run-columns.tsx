/** The columns of the list of flow runs. */
import { Link } from '@tanstack/react-router';
import type { Column } from '../../components/table/data-table.tsx';
import { reasonText } from '../../design/state-message.ts';
import type { RunRow } from './queries.ts';
import {
  BUTTONS,
  durationColumn,
  NamedCell,
  ReasonCell,
  reasonColumn,
  startColumn,
  stateColumn,
  tagsColumn,
  triesColumn,
} from './run-cells.tsx';

export const runColumns: readonly Column<RunRow>[] = [
  { ...stateColumn, sorts: 'ascending' },
  {
    id: 'name',
    title: 'Run',
    sorts: 'ascending',
    text: ({ name }) => name,
    extra: 8,
    bounds: [120, 360],
    line: 1,
    isFirst: true,
    cell: (run) => (
      <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="font-medium hover:underline">
        {run.name}
      </Link>
    ),
  },
  {
    id: 'flow',
    title: 'Flow',
    text: ({ flow_name }) => flow_name,
    extra: BUTTONS,
    bounds: [90, 280],
    from: 560,
    cell: (run) => <NamedCell field="flow" value={run.flow_name} />,
  },
  {
    id: 'deployment',
    title: 'Deployment',
    text: ({ deployment_name }) => deployment_name ?? '',
    extra: BUTTONS,
    bounds: [90, 240],
    from: 1000,
    cell: (run) => <NamedCell field="deployment" value={run.deployment_name} />,
  },
  startColumn,
  { ...durationColumn, sorts: 'descending' },
  triesColumn,
  {
    ...reasonColumn,
    // A run that has no reason shows its flow there.
    phone: (run) => (reasonText(run) ? <ReasonCell run={run} /> : <span className="text-soft">{run.flow_name}</span>),
  },
  tagsColumn,
];
