/** The columns of the list of flow runs. */
import { Link } from '@tanstack/react-router';
import type { Column } from '../../components/table/data-table.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { reasonText } from '../../design/state-message.ts';
import { duration } from '../../design/time.ts';
import type { RunRow } from './queries.ts';
import { NamedCell, ReasonCell, StateCell, stateText } from './run-cells.tsx';

/** Pixels of the mark of a state, and a little room for the buttons that appear beside a value. */
const MARK = 24;
const BUTTONS = 8;
/** Tags shown in a row; the run's page shows all. */
const MOST_TAGS = 20;

export const runColumns: readonly Column<RunRow>[] = [
  {
    id: 'state',
    title: 'State',
    sorts: 'ascending',
    text: stateText,
    extra: MARK + BUTTONS,
    bounds: [104, 240],
    line: 2,
    isFirst: true,
    isShort: true,
    cell: (run) => <StateCell run={run} />,
  },
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
  {
    id: 'start',
    title: 'Start',
    sorts: 'descending',
    width: '5.5rem',
    line: 1,
    cell: (run) => <Moment time={run.start_time ?? run.expected_start_time} />,
  },
  {
    id: 'duration',
    title: 'Duration',
    sorts: 'descending',
    width: '5rem',
    align: 'right',
    from: 720,
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
    width: 'minmax(8rem, 1fr)',
    line: 2,
    // A run that has no reason shows its flow there.
    phone: (run) => (reasonText(run) ? <ReasonCell run={run} /> : <span className="text-soft">{run.flow_name}</span>),
    cell: (run) => <ReasonCell run={run} />,
  },
  {
    id: 'tags',
    title: 'Tags',
    text: ({ tags }) => tags.slice(0, MOST_TAGS).join(' '),
    extra: BUTTONS,
    bounds: [60, 180],
    from: 1150,
    cell: (run) => (
      <>
        {run.tags.slice(0, MOST_TAGS).map((tag, index) => (
          <span key={tag}>
            {index > 0 ? ' ' : ''}
            <NamedCell field="tag" value={tag} />
          </span>
        ))}
      </>
    ),
  },
];
