/**
 * The quick run asserts no time, because a busy machine would make it fail. What measures time is a test of the full run
 * (`server/test/support/timed.ts`); what can be counted is counted (`server/test/support/steps.ts`).
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const repository = join(import.meta.dirname, '../../..');

/** Files of the quick run, with the rules of their language. */
const SUITES: readonly (readonly [pattern: string, rules: (text: string) => string[]])[] = [
  ['server/{src,test}/**/*.test.ts', timedInTypeScript],
  ['dashboard/{src,test}/**/*.{test,spec}.{ts,tsx}', timedInTypeScript],
  ['server/test/{prefect,mcp,guides}/**/*.py', timedInPython],
];

/** Checks that may read a clock, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'server/src/services/skewed-clocks.test.ts': 'asks which of two clocks that are an hour apart a replica follows',
};

/** A stopwatch has no other use in a test: clocks that a test gives come from `support/local-time.ts`. */
const STOPWATCH = /\b(?:performance\.now|process\.hrtime(?:\.bigint)?|(?:threadC|c)puUsage)\(\)?/g;
/** The check, up to the end of its statement. */
const CHECK = /\b(?:assert(?:\.\w+)?|expect)\((?:[^;]|;(?!\n))*;\n/g;
/** A limit for a whole test, or for an expectation, that a busy machine may exceed: both have longer ones of their own. */
const SHORT_LIMIT = /\btimeout: (?:1?\d_?\d{3}|\d{1,3})(?![\d_])/g;

function timedInTypeScript(text: string): string[] {
  const checks = [...text.matchAll(CHECK)].map(([check]) => check);
  return [
    ...[...text.matchAll(STOPWATCH), ...text.matchAll(SHORT_LIMIT)].map(([found]) => found),
    ...checks.filter((check) => /\bDate\.now\(\)/.test(check) && /\s-\s/.test(check)),
  ];
}

const PYTHON_CLOCK = /\btime\.(?:monotonic|time|perf_counter)(?:_ns)?\(\)/;

function timedInPython(text: string): string[] {
  const lines = text.split('\n');
  const named = (isOne: (value: string) => boolean) =>
    lines.flatMap((line) => {
      const [, name, value = ''] = /^\s*(\w+) = (.+)$/.exec(line) ?? [];
      return name !== undefined && isOne(value) ? [name] : [];
    });
  const readings = named((value) => PYTHON_CLOCK.test(value));
  const isDifference = (value: string) =>
    / - /.test(value) && (PYTHON_CLOCK.test(value) || readings.some((name) => hasName(value, name)));
  const durations = named(isDifference);
  const checks = lines.filter((line) => /^\s*(?:holds\(|same\(|assert )/.test(line));
  return checks.filter((check) => isDifference(check) || durations.some((name) => hasName(check, name)));
}

function hasName(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text);
}

describe('the quick run', () => {
  for (const [pattern, rules] of SUITES) {
    test(`asserts no time: ${pattern}`, () => {
      const files = globSync(pattern, { cwd: repository, exclude: (path) => /node_modules/.test(String(path)) });
      assert.ok(files.length > 0);
      const found = files
        .filter((file) => file !== 'server/test/conformance/no-timed-checks.test.ts' && !(file in EXCEPTIONS))
        .flatMap((file) =>
          rules(readFileSync(join(repository, file), 'utf8')).map((check) => `${file}: ${check.trim()}`),
        );
      assert.deepEqual(found, []);
    });
  }

  test('has no exception that is not needed', () => {
    for (const file of Object.keys(EXCEPTIONS)) {
      assert.notDeepEqual(timedInTypeScript(readFileSync(join(repository, file), 'utf8')), [], file);
    }
  });
});

describe('a check of a time is found', () => {
  const inTypeScript = [
    'const began = performance.now();\nwork();\nassert.ok(performance.now() - began < 1000);\n',
    'const { user } = process.threadCpuUsage(before);\n',
    'assert.ok(\n  Date.now() - Date.parse(row.created) < 60_000,\n);\n',
    'expect(Date.now() - began).toBeLessThan(50);\n',
    "test('is quick', { timeout: 500 }, () => {});\n",
    'await expect(row).toBeVisible({ timeout: 4000 });\n',
  ];
  for (const text of inTypeScript) {
    test(text.trim().split('\n').at(-1) ?? '', () => assert.notDeepEqual(timedInTypeScript(text), []));
  }

  const inPython = [
    'begun = time.monotonic()\nwork()\nholds(time.monotonic() - begun < 5, "quick")\n',
    'begun = time.time()\nended = time.time()\ntook = ended - begun\nsame(took < 5, True, "quick")\n',
    'took = time.perf_counter() - begun\nassert took < 1\n',
  ];
  for (const text of inPython) {
    test(text.trim().split('\n').at(-1) ?? '', () => assert.notDeepEqual(timedInPython(text), []));
  }

  test('and a deadline, a figure that is only shown and a stored time are not', () => {
    const deadline = 'deadline = time.monotonic() + 20\nwhile time.monotonic() < deadline:\n    look()\n';
    const shown = 'begun = time.monotonic()\nnote(f"{time.monotonic() - begun:.1f} s")\nsame(rows, 3, "rows")\n';
    for (const text of [deadline, shown]) assert.deepEqual(timedInPython(text), []);
    const stored = 'const due = new Date(Date.now() - 60_000).toISOString();\nassert.equal(row.due, due);\n';
    assert.deepEqual(timedInTypeScript(`${stored}await expect(row).toBeVisible({ timeout: 60_000 });\n`), []);
  });
});
