/** Closes a run with `N passed, N failed, N skipped`. */
import type { FullConfig, Reporter, Suite } from '@playwright/test/reporter';

export default class Counts implements Reporter {
  #suite: Suite | undefined;

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#suite = suite;
  }

  onEnd(): void {
    const outcomes = this.#suite?.allTests().map((test) => test.outcome()) ?? [];
    const count = (...wanted: string[]) => outcomes.filter((outcome) => wanted.includes(outcome)).length;
    const late = count('flaky');
    if (late > 0) console.log(`${late} of them passed in the second try.`);
    console.log(`${count('expected', 'flaky')} passed, ${count('unexpected')} failed, ${count('skipped')} skipped`);
  }
}
