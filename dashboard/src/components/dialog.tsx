/** A dialog in the middle of the page, and one that confirms a deletion. */
import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { withoutAsking } from '../api/live.ts';
import { Button } from './button.tsx';
import { ProblemNote } from './problem-note.tsx';
import { useAction } from './use-action.ts';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** Its buttons, with the main one last. */
  readonly actions?: ReactNode;
  readonly width?: 'narrow' | 'wide';
}

export function Dialog({ isOpen, onClose, title, children, actions, width = 'narrow' }: Props) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          className={`fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded-dialog border border-line bg-surface shadow-raised outline-none ${width === 'wide' ? 'max-w-180' : 'max-w-110'}`}
        >
          <Base.Title className="ruled px-5 py-3 text-lg font-semibold">{title}</Base.Title>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {actions ? <div className="flex justify-end gap-2 border-t border-line px-5 py-3">{actions}</div> : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** For example, `Delete 3 flow runs?`. */
  readonly question: string;
  /** Says which data is lost, and which stays. */
  readonly children: ReactNode;
  /** The verb on the button: `Delete 3 runs`. */
  readonly action: string;
  /** A name that must be typed first, for large actions that cannot be undone. */
  readonly name?: string;
  readonly onConfirm: () => Promise<unknown>;
  /** Says what was done: `Variable region deleted`. */
  readonly done?: string | undefined;
}

export function Confirm({ isOpen, onClose, question, children, action, name, onConfirm, done }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const { isBusy, problem, run } = useAction();
  const isNamed = name === undefined || typed === name;
  const confirm = async () => {
    if (await run(() => withoutAsking(onConfirm), done)) onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={question}
      actions={
        <>
          <Button onClick={onClose}>Keep</Button>
          <Button kind="danger" disabled={!isNamed || isBusy} onClick={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    >
      <div className="text-soft">{children}</div>
      {name === undefined ? null : (
        <label className="mt-4 block">
          <span className="text-soft">
            Type <b className="text-ink">{name}</b> to go on.
          </span>
          <input className="field mt-1" value={typed} onChange={(event) => setTyped(event.target.value)} />
        </label>
      )}
      <ProblemNote text={problem} className="mt-3" />
    </Dialog>
  );
}
