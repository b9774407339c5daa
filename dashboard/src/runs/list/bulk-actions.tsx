/** Changes many runs: the selected ones, or all that match the filters. */
import { useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { isTyping } from '../../components/is-typing.ts';
import { usePageActions } from '../../shell/page-actions.ts';
import { beginWork } from '../bulk/begin.tsx';
import { countOfRuns } from '../bulk/words.ts';
import { type BulkAction, MOST_MATCHING, MOST_NAMED, type RunsMatching } from '../bulk/work.ts';
import { ChangeState } from '../change-state.tsx';

interface Props {
  readonly ids: readonly string[];
  /** True if all loaded rows are selected. */
  readonly isWholePage: boolean;
  /** Number of runs that match the filters; undefined while it is being counted. */
  readonly matchingCount: number | undefined;
  /** The filters of the list. */
  readonly matching: RunsMatching;
  readonly clear: () => void;
  /** The selected rows, if they are two: the earlier run first. */
  readonly pair: readonly [a: string, b: string] | undefined;
  /** False for people who may only read: they can still compare. */
  readonly mayChange: boolean;
}

const asked: Readonly<Record<Exclude<BulkAction, 'set_state'>, { readonly verb: string; readonly text: string }>> = {
  retry: {
    verb: 'Retry',
    text: 'Failed and crashed runs of a deployment start again; what has completed is not repeated, where its result is kept. Other runs stay as they are.',
  },
  cancel: {
    verb: 'Cancel',
    text: 'Runs that are running are asked to stop; runs that have not started do not start. Ended runs stay as they are.',
  },
  delete: {
    verb: 'Delete',
    text: 'Their task runs, states and logs are deleted with them. After five seconds, this cannot be undone.',
  },
};

export function BulkActions({ ids, isWholePage, matchingCount, matching, clear, pair, mayChange }: Props) {
  const navigate = useNavigate();
  const compare = () => pair && void navigate({ to: '/runs/compare', search: { a: pair[0], b: pair[1] } });
  usePageActions([pair !== undefined && { title: 'Compare the two runs', key: '=', act: compare }]);
  const [action, setAction] = useState<BulkAction>();
  const [takesAll, setTakesAll] = useState(false);
  useActionKeys(mayChange ? setAction : ignore);
  const isAll = takesAll && isWholePage && matchingCount !== undefined;
  const count = isAll ? matchingCount : ids.length;
  const most = isAll ? MOST_MATCHING : MOST_NAMED;
  const close = () => setAction(undefined);
  const begin = async (change: Pick<Parameters<typeof beginWork>[0], 'action' | 'state' | 'force'>) => {
    await beginWork({ ...change, ...(isAll ? { matching } : { flow_run_ids: [...ids] }) });
    clear();
  };
  const confirmed = action === 'set_state' ? undefined : action;
  const { verb, text } = asked[confirmed ?? 'retry'];
  return (
    <div
      role="toolbar"
      aria-label="Selected runs"
      className="flex min-h-9 flex-wrap items-center gap-2 bg-selected px-6 max-sm:px-4"
    >
      <span className="tabular font-medium">{countOfRuns(count)} selected</span>
      <Button
        title={pair ? 'Compare (=)' : 'Select two runs to compare them'}
        disabled={pair === undefined}
        onClick={compare}
      >
        Compare
      </Button>
      {mayChange && isWholePage && matchingCount !== undefined && matchingCount > ids.length ? (
        <Button kind="quiet" onClick={() => setTakesAll(!takesAll)}>
          {isAll
            ? `Only the ${ids.length.toLocaleString('en')} that are loaded`
            : `Select all ${matchingCount.toLocaleString('en')} that match`}
        </Button>
      ) : null}
      {!mayChange ? null : count > most ? (
        <span className="text-soft">Narrow the filters: {most.toLocaleString('en')} at most.</span>
      ) : (
        <>
          <Button title="Retry (r)" onClick={() => setAction('retry')}>
            Retry…
          </Button>
          <Button title="Cancel (c)" onClick={() => setAction('cancel')}>
            Cancel…
          </Button>
          <Button onClick={() => setAction('set_state')}>Change the state…</Button>
          <Button kind="danger" onClick={() => setAction('delete')}>
            Delete…
          </Button>
        </>
      )}
      <IconButton label="Select none" onClick={clear}>
        <X size={14} />
      </IconButton>
      <Confirm
        isOpen={confirmed !== undefined && count <= most}
        onClose={close}
        question={`${verb} ${countOfRuns(count)}?`}
        action={`${verb} ${count.toLocaleString('en')}`}
        onConfirm={() => begin({ action: confirmed ?? 'retry' })}
      >
        {text}
      </Confirm>
      <ChangeState
        isOpen={action === 'set_state'}
        onClose={close}
        subject={countOfRuns(count)}
        onChange={(state, force) => begin({ action: 'set_state', state, force })}
      />
    </div>
  );
}

function ignore(): void {}

const keys: Readonly<Record<string, BulkAction>> = { r: 'retry', c: 'cancel' };

/** `r` and `c` act on the selection. After `g`, a letter leads to a page instead. */
function useActionKeys(act: (action: BulkAction) => void): void {
  useEffect(() => {
    let last = '';
    const press = (event: KeyboardEvent) => {
      const isAfterG = last === 'g';
      last = event.key;
      const action = keys[event.key];
      if (!action || isAfterG || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      event.preventDefault();
      act(action);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [act]);
}
