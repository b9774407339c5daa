/** Sets the state of a run by hand. */
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { StateMark } from '../design/state-mark.tsx';
import { type StateType, stateKinds, titleOf } from '../design/states.ts';
import type { NewState } from './actions.ts';

const types = stateKinds.filter((kind): kind is StateType => kind !== 'LATE');

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** For example, `the run swift-otter`. */
  readonly subject: string;
  readonly onChange: (state: NewState, force: boolean) => Promise<void>;
}

export function ChangeState({ isOpen, onClose, subject, onChange }: Props) {
  const [type, setType] = useState<StateType>('COMPLETED');
  const [message, setMessage] = useState('');
  const [isForced, setForced] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const change = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onChange({ type, name: titleOf(type), message: message.trim() || undefined }, isForced);
      setMessage('');
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Change the state of ${subject}`}
      actions={
        <>
          <Button onClick={onClose}>Keep</Button>
          <Button kind="primary" disabled={isBusy} onClick={() => void change()}>
            Set {titleOf(type)}
          </Button>
        </>
      }
    >
      <fieldset className="grid grid-cols-3 gap-1.5 max-sm:grid-cols-2">
        <legend className="mb-1 text-xs text-quiet">State</legend>
        {types.map((one) => (
          <label
            key={one}
            className="flex h-(--row-control) items-center gap-2 rounded-control border border-line px-2 hover:bg-hover has-checked:border-ink has-checked:bg-selected"
          >
            <input type="radio" name="state" className="sr-only" checked={one === type} onChange={() => setType(one)} />
            <StateMark kind={one} />
            {titleOf(one)}
          </label>
        ))}
      </fieldset>
      <label className="mt-3 block">
        <span className="text-xs text-quiet">Message</span>
        <input
          className="field"
          value={message}
          placeholder="Why the state changes"
          onChange={(event) => setMessage(event.target.value)}
        />
      </label>
      <label className="mt-3 flex items-start gap-2">
        <input type="checkbox" className="mt-1" checked={isForced} onChange={() => setForced(!isForced)} />
        <span>
          Pass over the rules
          <span className="block text-xs text-quiet">
            Without this, limits, retries and the order of states are checked first, as for a worker.
          </span>
        </span>
      </label>
      <p className="mt-3 text-xs text-quiet">
        The state changes in the records only. A process that runs is not ended.
      </p>
      {problem === undefined ? null : (
        <p role="alert" className="mt-3 text-failed-text">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
