/** Every place of the dashboard that runs or reads what others wrote, so that a new one is thought about. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const sources = import.meta.dirname;

const PLACES: Readonly<Record<string, { readonly found: RegExp; readonly files: readonly string[] }>> = {
  // The browser runs both with an engine that may take for ever. The server checks patterns.
  'expressions that are not in the source': { found: /\bRegExp\(|\spattern=/, files: [] },
  'HTML that is not made of elements': { found: /dangerouslySetInnerHTML|\binnerHTML\b/, files: [] },
  // Both get what `form-schema.ts` built, and never a schema as it was written.
  schemas: {
    found: /from '@(?:cfworker|rjsf\/core)\//,
    files: ['components/schema-form/form.tsx', 'components/schema-form/validator.ts'],
  },
  // In a worker that is ended when it takes too long.
  Markdown: {
    found: /from '(?:unified|remark-[a-z]+|react-markdown|marked)'/,
    files: ['components/markdown/markdown-tree.ts'],
  },
  'the worker that reads Markdown': {
    found: /from '\.\/markdown-tree\.ts'/,
    files: ['components/markdown/markdown-worker.ts'],
  },
  // Short ones only.
  'schedules in words': { found: /from 'cronstrue'/, files: ['schedule/words.ts'] },
};

test('what others wrote is run and read in the places that bound it', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: sources }).filter((file) => !/\.(test|gen)\.ts$/.test(file));
  for (const [what, { found, files: expected }] of Object.entries(PLACES)) {
    const places = files.filter((file) => found.test(readFileSync(join(sources, file), 'utf8')));
    assert.deepEqual(places.toSorted(), expected, what);
  }
});
