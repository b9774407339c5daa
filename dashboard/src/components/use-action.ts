/** Runs one change at a time and keeps the message of its failure. */
import { useState } from 'react';
import { Problem } from '../api/problem.ts';

export interface Action {
  readonly isBusy: boolean;
  /** The reason for the last failure. */
  readonly problem: string | undefined;
  /** The problems by field, `external.url`; the empty name is for the whole request. */
  readonly fields: ReadonlyMap<string, string>;
  /** Resolves with true if it succeeded. */
  readonly run: (change: () => Promise<unknown>) => Promise<boolean>;
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const run = async (change: () => Promise<unknown>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await change();
      return true;
    } catch (error) {
      setFailure(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const named = failure instanceof Problem ? failure.fields : [];
  return {
    isBusy,
    run,
    problem: failure === undefined ? undefined : failure instanceof Error ? failure.message : String(failure),
    fields: new Map(named.map(({ path, message }) => [path.join('.'), message])),
  };
}
