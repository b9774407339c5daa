/** Adds a queue to a pool, or changes one. */
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { FormRow } from '../components/form-row.tsx';
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

const WHOLE = /^[1-9]\d*$/;

export function QueueDialog({ pool, queue, onClose, onSaved }: Props) {
  const [name, setName] = useState(queue?.name ?? '');
  const [description, setDescription] = useState(queue?.description ?? '');
  const [priority, setPriority] = useState(queue ? String(queue.priority) : '');
  const [limit, setLimit] = useState(
    queue?.concurrency_limit === null || !queue ? '' : String(queue.concurrency_limit),
  );
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isPriority = priority === '' || WHOLE.test(priority);
  const isLimit = limit === '' || /^\d+$/.test(limit);
  const save = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const body = {
        name: name.trim(),
        description,
        concurrency_limit: limit === '' ? null : Number(limit),
        ...(priority === '' ? {} : { priority: Number(priority) }),
      };
      if (queue) await updateQueue(pool, queue.name, body);
      else await createQueue(pool, body);
      await onSaved();
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={queue ? `Edit the queue ${queue.name}` : `Add a queue to ${pool}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            disabled={isBusy || name.trim() === '' || !isPriority || !isLimit}
            onClick={() => void save()}
          >
            {queue ? 'Save' : 'Add'}
          </Button>
        </>
      }
    >
      <FormRow id="queue-name" title="Name">
        <input
          id="queue-name"
          className="field"
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </FormRow>
      <FormRow id="queue-description" title="Description">
        <input
          id="queue-description"
          className="field"
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
      </FormRow>
      <FormRow
        id="queue-priority"
        title="Priority"
        description="Workers take runs of the queue with the lowest number first. Empty: the last."
        errors={isPriority ? [] : ['This must be a whole number of at least 1.']}
      >
        <input
          id="queue-priority"
          className="field tabular max-w-24"
          inputMode="numeric"
          value={priority}
          onChange={({ target }) => setPriority(target.value.trim())}
        />
      </FormRow>
      <FormRow
        id="queue-limit"
        title="Runs at a time"
        description="Empty: no limit."
        errors={isLimit ? [] : ['This must be a whole number.']}
      >
        <input
          id="queue-limit"
          className="field tabular max-w-24"
          inputMode="numeric"
          value={limit}
          onChange={({ target }) => setLimit(target.value.trim())}
        />
      </FormRow>
      {problem === undefined ? null : (
        <p role="alert" className="mt-2 text-failed-text">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
