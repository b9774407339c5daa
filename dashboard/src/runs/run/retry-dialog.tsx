/** Asks before a retry, and names the tasks that run again and those that do not. */
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Unread } from '../../components/states-of-loading.tsx';
import { counted } from '../../design/figures.ts';
import { type RetryPlan, retryPlanQuery } from '../queries.ts';

interface Props {
  readonly run: { readonly id: string; readonly name?: string | undefined };
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onRetry: () => void;
}

const reasons = {
  not_completed: 'not completed',
  no_result: 'result not kept',
  expired: 'result expired',
} as const satisfies Record<RetryPlan['repeated'][number]['reason'], string>;

export function RetryDialog({ run, isOpen, onClose, onRetry }: Props) {
  const query = useQuery({ ...retryPlanQuery(run.id), enabled: isOpen });
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Retry ${run.name ?? 'the run'}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            onClick={() => {
              onClose();
              onRetry();
            }}
          >
            Retry
          </Button>
        </>
      }
    >
      {query.data ? <Plan plan={query.data} /> : <Unread of={query} rows={4} />}
    </Dialog>
  );
}

function Plan({ plan: { repeated, kept, is_complete } }: { readonly plan: RetryPlan }) {
  const isWithoutTasks = repeated.length === 0 && kept.length === 0;
  return (
    <div className="flex flex-col gap-4">
      {isWithoutTasks ? (
        <p className="text-soft">The last attempt has no task runs.</p>
      ) : (
        <>
          <Tasks
            title="Run again"
            tasks={repeated.map((one) => ({ ...one, note: reasons[one.reason] }))}
            none="No task of the last attempt has to run again."
          />
          <Tasks
            title="Not repeated: their results are kept"
            tasks={kept.map((one) => ({ ...one, note: '' }))}
            none="No result is kept, so every task runs again."
          />
        </>
      )}
      <p className="text-xs text-quiet">
        The code of the flow itself runs from its beginning.
        {kept.length > 0 ? ' A task whose inputs have changed runs again as well.' : ''}
        {is_complete ? '' : ' The run has more tasks than are listed here.'}
      </p>
    </div>
  );
}

interface TasksProps {
  readonly title: string;
  readonly tasks: readonly { readonly task: string; readonly count: number; readonly note: string }[];
  readonly none: string;
}

function Tasks({ title, tasks, none }: TasksProps) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-xs text-quiet">{title}</h3>
      {tasks.length === 0 ? (
        <p className="text-soft">{none}</p>
      ) : (
        <ul className="max-h-60 overflow-y-auto border-t border-line">
          {tasks.map(({ task, count, note }) => (
            <li
              key={`${task} ${note}`}
              className="ruled grid min-h-(--row) grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3"
            >
              <span className="truncate" title={task}>
                {task}
              </span>
              <span className="tabular text-soft">
                {[count > 1 ? counted(count, 'run') : '', note].filter((part) => part !== '').join(', ')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
