/** The counts of a suite, and the line that closes it, which `.ci/run` reads. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** The line of a test that failed once; `.ci/run` counts such lines as flaky. */
export function secondTryLine(name: string): string {
  return `Passed in its second try: ${name}`;
}

/**
 * A suite that gets SIGTERM, as at the time limit of `.ci/run`, prints what it has counted. The work that was under way
 * counts as failed, since it did not end. `leave` stops what it started. Returns what ends this.
 */
export function printCountsAtEnd(counts: () => Counts, leave: () => Promise<unknown> = async () => {}): () => void {
  const end = () => {
    const { passed, failed, skipped } = counts();
    console.log('The suite was told to end.');
    console.log(countsLine({ passed, failed: failed + 1, skipped }));
    void leave().finally(() => process.exit(1));
  };
  process.once('SIGTERM', end);
  return () => process.off('SIGTERM', end);
}
