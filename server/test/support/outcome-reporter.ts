/**
 * A reporter of Node's test runner for `test-files.ts`: a line of JSON for each test that ended, and one at the end.
 * The tests of a process run one after the other, and in the process of the reporter, so what the processor did since
 * the last line was done for the next one.
 */
import type { TestEvent } from 'node:test/reporters';
import type { Outcome } from './test-files.ts';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let before = 0;
  const milliseconds = () => {
    const { user, system } = process.cpuUsage();
    const since = (user + system) / 1000 - before;
    before += since;
    return since;
  };
  for await (const { type, data } of events) {
    if (before === 0) yield line({ loaded: milliseconds() });
    if (type === 'test:summary' && data.file === undefined) yield line({ ended: true });
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file = '', details } = data;
    const isSuite = details.type === 'suite';
    if (type === 'test:fail') {
      // A suite fails with its tests, which are counted, or in a hook of its own.
      const { failureType } = (details as { error?: { failureType?: string } }).error ?? {};
      if (!isSuite || failureType === 'hookFailed')
        yield line({ result: 'failed', name, file, milliseconds: milliseconds() });
    } else if (!isSuite) {
      const result = data.skip !== undefined || data.todo !== undefined ? 'skipped' : 'passed';
      yield line({ result, name, file, milliseconds: milliseconds() });
    }
  }
}

function line(outcome: Outcome): string {
  return `${JSON.stringify(outcome)}\n`;
}
