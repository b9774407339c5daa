import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions, UsageError } from './options.ts';

test('without options every scenario runs against Signalbox on SQLite, two at once', () => {
  assert.deepEqual(readOptions([]), {
    url: undefined,
    server: 'signalbox',
    database: 'sqlite',
    replicas: 1,
    client: '3.9.1',
    only: [],
    except: [],
    bothDatabases: false,
    quick: false,
    parallel: 2,
    list: false,
    keep: false,
    help: false,
  });
});

test('options may be given several times or with a trailing slash in the address', () => {
  const options = readOptions(['--only', 'logs', '--only=caching', '--url', 'http://127.0.0.1:4200/api/']);
  assert.deepEqual(options.only, ['logs', 'caching']);
  assert.equal(options.url, 'http://127.0.0.1:4200/api');
});

test('an invalid command line is refused with the reason', () => {
  const wrong: [string[], RegExp][] = [
    [['--url', 'localhost:4200'], /--url takes an http address/],
    [['--database', 'mysql'], /--database takes sqlite or postgres, not mysql/],
    [['--client', '2.20.0'], /--client takes 3\.0\.11 or .* or 3\.9\.1, not 2\.20\.0/],
    [['--server', 'other'], /--server takes signalbox or prefect, not other/],
    [['--parallel', '0'], /whole number from 1 to 16, not 0/],
    [['--parallel', 'many'], /not many/],
    [['--unknown'], /--unknown/],
    [['logs'], /logs/],
  ];
  for (const [args, reason] of wrong) {
    assert.throws(
      () => readOptions(args),
      (error) => error instanceof UsageError && reason.test(error.message),
      `${args}`,
    );
  }
});
