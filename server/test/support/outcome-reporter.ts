/** A reporter of Node's test runner for `test-files.ts`: a line of JSON for each test that ended, and one at the end. */
import type { TestEvent } from 'node:test/reporters';
import type { Outcome } from './test-files.ts';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file === undefined) yield line({ ended: true });
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file = '', details } = data;
    const isSuite = details.type === 'suite';
    if (type === 'test:fail') {
      // A suite fails with its tests, which are counted, or in a hook of its own.
      const { failureType } = (details as { error?: { failureType?: string } }).error ?? {};
      if (!isSuite || failureType === 'hookFailed') yield line({ result: 'failed', name, file });
    } else if (!isSuite) {
      yield line({ result: data.skip !== undefined || data.todo !== undefined ? 'skipped' : 'passed', name, file });
    }
  }
}

function line(outcome: Outcome): string {
  return `${JSON.stringify(outcome)}\n`;
}
