/** The run succeeded, but its tasks are missing here: shows the reason, and the client's setting that fixes it. */
import type { FlowRunView } from '../queries.ts';

interface Props {
  readonly unrecorded: NonNullable<FlowRunView['unrecorded_tasks']>;
}

export function UnrecordedTasksPanel({ unrecorded: { count, cures } }: Props) {
  return (
    <section aria-label="Task runs that were not recorded" className="mb-3 border-l-2 border-late bg-surface px-4 py-3">
      <p>
        <strong className="font-semibold">
          {count === 1 ? 'A task run was not recorded.' : `${count} task runs were not recorded.`}
        </strong>{' '}
        The logs name {count === 1 ? 'it' : 'them'}, but the client could not report task runs and events: it uses
        websockets for that, and the server refused them or they did not reach it. For its next runs:
      </p>
      <ul className="mt-1 list-disc pl-5 text-soft">
        {cures.map((cure) => (
          <li key={cure}>{cure}</li>
        ))}
      </ul>
    </section>
  );
}
