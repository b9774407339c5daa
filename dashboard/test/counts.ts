/** Closes a run with `N passed, N failed, N skipped`. */
import type { FullConfig, Reporter, Suite } from '@playwright/test/reporter';

export default class Counts implements Reporter {
  #suite: Suite | undefined;

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#suite = suite;
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
