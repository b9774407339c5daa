/** Makes or changes a limit. */
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { limitTitle } from './limit-name.tsx';
import { createLimit, type LimitRow, updateLimit } from './queries.ts';

interface Props {
  /** Undefined for a new one. */
  readonly limit: LimitRow | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function LimitDialog({ limit, onClose, onSaved }: Props) {
  const [kind, setKind] = useState<'global' | 'tag'>('global');
  const [name, setName] = useState(limit?.name ?? '');
  const [count, setCount] = useState(String(limit?.limit ?? 1));
  const [decay, setDecay] = useState(String(limit?.slot_decay_per_second ?? 0));
  const [active, setActive] = useState(limit?.active ?? true);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isNamed = limit === undefined || limit.kind === 'global';
  const hasDecay = limit ? limit.kind === 'global' : kind === 'global';
  const isReady = name !== '' && /^\d+$/.test(count) && Number.isFinite(Number(decay)) && Number(decay) >= 0;
  const save = async () => {
    const form = { name, limit: Number(count), decay: Number(decay), active };
    setBusy(true);
    setProblem(undefined);
    try {
      await (limit ? updateLimit(limit.id, form) : createLimit(kind, form));
      onSaved();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={limit ? `Change ${limitTitle(limit)}` : 'New concurrency limit'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={isBusy || !isReady} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {limit ? null : (
          <label className="block">
            <span className="text-xs text-quiet">It limits</span>
            <select
              className="field"
              value={kind}
              onChange={(event) => setKind(event.target.value as 'global' | 'tag')}
            >
              <option value="global">whatever code asks for it by name</option>
              <option value="tag">task runs with a tag</option>
            </select>
          </label>
        )}
        {isNamed ? (
          <label className="block">
            <span className="text-xs text-quiet">{kind === 'tag' ? 'Tag' : 'Name'}</span>
            <input
              className="field"
              value={name}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setName(event.target.value)}
            />
          </label>
        ) : null}
        <label className="block">
          <span className="text-xs text-quiet">Slots</span>
          <input
            className="field tabular w-32"
            inputMode="numeric"
            value={count}
            onChange={(event) => setCount(event.target.value)}
          />
        </label>
        {hasDecay ? (
          <label className="block">
            <span className="text-xs text-quiet">
              Slots that become free each second. 0: they are free when they are released; above 0 it limits a rate.
            </span>
            <input
              className="field tabular w-32"
              inputMode="decimal"
              value={decay}
              onChange={(event) => setDecay(event.target.value)}
            />
          </label>
        ) : null}
        {limit || kind === 'global' ? (
          <label className="flex items-center gap-2">
            <input type="checkbox" checked={active} onChange={(event) => setActive(event.target.checked)} />
            On: when it is off, everyone passes
          </label>
        ) : null}
        {problem === undefined ? null : (
          <p role="alert" className="text-failed-text">
            {problem}
          </p>
        )}
      </div>
    </Dialog>
  );
}
