/** Runs one change at a time and keeps the reason of its failure. */
import { useMutation } from '@tanstack/react-query';
import { Problem } from '../api/problem.ts';
import { notify } from './notify/notify.ts';

export interface Action {
  readonly isBusy: boolean;
  /** The reason for the last failure. */
  readonly problem: string | undefined;
  /** The problems by field, `external.url`; the empty name is for the whole request. */
  readonly fields: ReadonlyMap<string, string>;
  /** Resolves with true if it succeeded. `done` then says so where the page shows no change. */
  readonly run: (change: () => Promise<unknown>, done?: string) => Promise<boolean>;
}

export function useAction(): Action {
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    // Without a connection the change fails at once, and its reason is shown.
    networkMode: 'always',
  });
  const named = error instanceof Problem ? error.fields : [];
  return {
    isBusy: isPending,
    problem: error?.message,
    fields: new Map(named.map(({ path, message }) => [path.join('.'), message])),
    run: (change, done) =>
      mutateAsync(change).then(
        () => {
          if (done !== undefined) notify(done);
          return true;
        },
        () => false,
      ),
  };
}
