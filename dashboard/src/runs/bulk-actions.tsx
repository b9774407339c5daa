/** Cancels or deletes many runs: the selected ones, or all that match the filters. */
import { X } from 'lucide-react';
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { cancelRuns, deleteRuns } from './actions.ts';
import { MOST_MATCHING, readMatchingIds } from './matching-ids.ts';
import type { RunsSearch } from './run-fields.ts';

interface Props {
  readonly ids: readonly string[];
  /** True if all loaded rows are selected. */
  readonly isWholePage: boolean;
  /** Number of runs that match the filters; undefined while it is being counted. */
  readonly matching: number | undefined;
  readonly search: RunsSearch;
  readonly clear: () => void;
}

const actions = {
  cancel: {
    verb: 'Cancel',
    run: cancelRuns,
    text: 'Runs that are running are asked to stop; runs that have not started do not start. Ended runs stay as they are.',
  },
  delete: {
    verb: 'Delete',
    run: deleteRuns,
    text: 'Their task runs, states and logs are deleted with them. This cannot be undone.',
  },
} as const;

export function BulkActions({ ids, isWholePage, matching, search, clear }: Props) {
  const [asked, setAsked] = useState<keyof typeof actions>();
  const [takesAll, setTakesAll] = useState(false);
  const [done, setDone] = useState<number>();
  const isAll = takesAll && isWholePage && matching !== undefined;
  const count = isAll ? Math.min(matching, MOST_MATCHING) : ids.length;
  const runs = `${count.toLocaleString('en')} ${count === 1 ? 'run' : 'runs'}`;
  const { verb, run, text } = actions[asked ?? 'cancel'];
  const act = async () => {
    try {
      await run(isAll ? await readMatchingIds(search) : ids, setDone);
    } finally {
      setDone(undefined);
      await invalidate('/views/runs');
    }
    clear();
  };
  return (
    <div
      role="toolbar"
      aria-label="Selected runs"
      className="flex min-h-9 flex-wrap items-center gap-2 bg-selected px-6 max-sm:px-4"
    >
      <span className="tabular font-medium">{runs} selected</span>
      {isWholePage && matching !== undefined && matching > ids.length ? (
        <Button kind="quiet" onClick={() => setTakesAll(!takesAll)}>
          {isAll
            ? `Only the ${ids.length.toLocaleString('en')} that are loaded`
            : matching > MOST_MATCHING
              ? `Select the first ${MOST_MATCHING.toLocaleString('en')} of ${matching.toLocaleString('en')} that match`
              : `Select all ${matching.toLocaleString('en')} that match`}
        </Button>
      ) : null}
      <Button onClick={() => setAsked('cancel')}>Cancel…</Button>
      <Button kind="danger" onClick={() => setAsked('delete')}>
        Delete…
      </Button>
      <IconButton label="Select none" onClick={clear}>
        <X size={14} />
      </IconButton>
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={`${verb} ${runs}?`}
        action={`${verb} ${count.toLocaleString('en')}`}
        onConfirm={act}
      >
        {text}
        {done === undefined ? null : (
          <p role="status" className="tabular mt-2">
            {done.toLocaleString('en')} of {count.toLocaleString('en')} done
          </p>
        )}
      </Confirm>
    </div>
  );
}
