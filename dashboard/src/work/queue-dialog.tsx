/** Adds a queue to a pool, or changes one. */
import { FormDialog } from '../components/form/form-dialog.tsx';
import { NumberField, TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { createQueue, updateQueue } from './actions.ts';
import type { WorkQueueRow } from './queries.ts';

interface Props {
  readonly pool: string;
  /** Undefined for a new one. */
  readonly queue: WorkQueueRow | undefined;
  readonly onClose: () => void;
  /** Called with the name that the queue now has. */
  readonly onSaved: () => Promise<unknown>;
}

export function QueueDialog({ pool, queue, onClose, onSaved }: Props) {
  const form = useForm(
    {
      name: queue?.name ?? '',
      description: queue?.description ?? '',
      priority: queue?.priority ?? null,
      concurrency_limit: queue?.concurrency_limit ?? null,
    },
    'rows',
  );
  const name = form.values.name.trim();
  const save = async () => {
    const { priority, ...rest } = form.values;
    const body = { ...rest, name, ...(priority === null ? {} : { priority }) };
    await (queue ? updateQueue(pool, queue.name, body) : createQueue(pool, body));
    await onSaved();
    onClose();
  };
  return (
    <FormDialog
      title={queue ? `Edit the queue ${queue.name}` : `Add a queue to ${pool}`}
      action={queue ? 'Save' : 'Add'}
      form={form}
      isReady={name !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField of={form} name="name" label="Name" autoComplete="off" />
      <TextField of={form} name="description" label="Description" />
      <NumberField
        of={form}
        name="priority"
        label="Priority"
        from={1}
        hint="Workers take runs of the queue with the lowest number first. Empty: the last."
      />
      <NumberField of={form} name="concurrency_limit" label="Runs at a time" from={0} hint="Empty: no limit." />
    </FormDialog>
  );
}
