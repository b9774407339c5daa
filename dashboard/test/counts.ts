/** Closes a run with `N passed, N failed, N skipped`. */
import type { FullConfig, Reporter, Suite } from '@playwright/test/reporter';

export default class Counts implements Reporter {
  #suite: Suite | undefined;

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#suite = suite;
    // At its time limit the run says what passed until then; what has not ended counts as failed.
    process.once('SIGTERM', () => {
      const tests = suite.allTests();
      const ended = tests.filter(({ results }) => results.some(({ duration }) => duration >= 0));
      const passed = ended.filter((test) => test.ok() && test.outcome() !== 'skipped').length;
      console.log(`The run was told to end.\n${passed} passed, ${tests.length - passed} failed, 0 skipped`);
      process.exit(1);
    });
  }

  onEnd(): void {
    const tests = this.#suite?.allTests() ?? [];
    const outcomes = tests.map((test) => test.outcome());
    const count = (...wanted: string[]) => outcomes.filter((outcome) => wanted.includes(outcome)).length;
    for (const test of tests.filter((one) => one.outcome() === 'flaky')) {
      console.log(`Passed in its second try: ${test.titlePath().filter(Boolean).join(' › ')}`);
    }
    console.log(`${count('expected', 'flaky')} passed, ${count('unexpected')} failed, ${count('skipped')} skipped`);
  }
}
