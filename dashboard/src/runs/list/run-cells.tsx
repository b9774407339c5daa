/** Cells and columns that the lists of flow runs and of task runs share. */
import { Narrowable } from '../../components/list/narrowing.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { StateLabel } from '../../design/state-mark.tsx';
import { type InState, reasonText } from '../../design/state-message.ts';
import { stateKind, stateWords, titleOf } from '../../design/states.ts';
import { duration } from '../../design/time.ts';
import type { RunRow, TaskRunRow } from './queries.ts';

/** Pixels of the mark of a state. */
const MARK = 24;
/** A little room for the buttons that appear beside a value. */
export const BUTTONS = 8;
/** Tags shown in a row; the run's page shows all. */
const MOST_TAGS = 20;

export function stateText({ state_type, state_name }: InState): string {
  return stateWords(stateKind(state_type, state_name), state_name);
}

export function StateCell({ run: { state_type, state_name } }: { readonly run: InState }) {
  const kind = stateKind(state_type, state_name);
  const isPlain = !state_name || state_name === titleOf(kind);
  return (
    <Narrowable
      field="state"
      value={isPlain ? kind.toLowerCase() : state_name}
      words={stateText({ state_type: state_type ?? null, state_name: state_name ?? null })}
    >
      <StateLabel kind={kind} name={state_name ?? null} />
    </Narrowable>
  );
}

export function ReasonCell({ run }: { readonly run: InState }) {
  const text = reasonText(run);
  return (
    <span className="text-soft" title={run.reason ?? run.state_message ?? undefined}>
      {text}
    </span>
  );
}

interface NamedProps {
  readonly field: 'flow' | 'deployment' | 'work_pool' | 'tag';
  readonly value: string | null | undefined;
}

/** A name by which the list can be narrowed. */
export function NamedCell({ field, value }: NamedProps) {
  if (!value) return null;
  return (
    <Narrowable field={field} value={value}>
      <span className="text-soft">{value}</span>
    </Narrowable>
  );
}

type Shared = Column<RunRow | TaskRunRow>;

export const stateColumn: Shared = {
  id: 'state',
  title: 'State',
  text: stateText,
  extra: MARK + BUTTONS,
  bounds: [104, 240],
  line: 2,
  isFirst: true,
  isShort: true,
  cell: (run) => <StateCell run={run} />,
};

export const startColumn: Shared = {
  id: 'start',
  title: 'Start',
  sorts: 'descending',
  width: '5.5rem',
  line: 1,
  cell: (run) => <Moment time={run.start_time ?? run.expected_start_time} />,
};

export const durationColumn: Shared = {
  id: 'duration',
  title: 'Duration',
  width: '5rem',
  align: 'right',
  from: 720,
  cell: (run) => (run.start_time ? duration(run.run_time) : null),
};

export const triesColumn: Shared = {
  id: 'tries',
  title: 'Tries',
  width: '3rem',
  align: 'right',
  from: 1000,
  cell: ({ run_count }) => (run_count > 1 ? run_count : null),
};

export const reasonColumn: Shared = {
  id: 'reason',
  title: 'Reason',
  width: 'minmax(8rem, 1fr)',
  line: 2,
  cell: (run) => <ReasonCell run={run} />,
};

export const tagsColumn: Shared = {
  id: 'tags',
  title: 'Tags',
  text: ({ tags }) => tags.slice(0, MOST_TAGS).join(' '),
  extra: BUTTONS,
  bounds: [60, 180],
  from: 1150,
  cell: ({ tags }) =>
    tags.slice(0, MOST_TAGS).map((tag, index) => (
      <span key={tag}>
        {index > 0 ? ' ' : ''}
        <NamedCell field="tag" value={tag} />
      </span>
    )),
};
