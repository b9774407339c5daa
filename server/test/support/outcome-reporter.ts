/** A reporter of Node's test runner for `test-files.ts`: a line of JSON for each failure, and one with all counts. */
import type { TestEvent } from 'node:test/reporters';
import type { Outcome } from './test-files.ts';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.file !== undefined) yield line({ failed: data.name, file: data.file });
    if (type === 'test:summary' && data.file === undefined) {
      const { tests, passed, skipped, todo } = data.counts;
      const left = skipped + todo;
      yield line({ passed, failed: tests - passed - left, skipped: left });
    }
  }
}

function line(outcome: Outcome): string {
  return `${JSON.stringify(outcome)}\n`;
}
