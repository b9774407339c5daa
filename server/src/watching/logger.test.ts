import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { Unavailable } from '../errors.ts';
import { createLogger } from './logger.ts';

function loggerOf() {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(JSON.parse(line)) });
  return { logger, lines };
}

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

test('lines for people have no control characters of callers, and JSON is the form where nobody watches', () => {
  const script = `const { createLogger, logDestination } = await import(${JSON.stringify(new URL('logger.ts', import.meta.url).href)});
    const logger = createLogger('info', await logDestination(process.argv[1]));
    logger.warn({ path: '/x\\u001b[31m\\u009b2J', token: 'hunter2' }, 'a request was refused');`;
  const lineOf = (format: string) => {
    const args = ['--input-type=module', '--eval', script, format];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(stdout, '');
    return stderr;
  };
  const text = lineOf('text');
  assert.match(text, /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: a request was refused \{.*"path":"\/x.*\}\n$/);
  assert.doesNotMatch(text.trimEnd(), /\p{Cc}|hunter2/u);
  for (const format of ['auto', 'json']) assert.equal(JSON.parse(lineOf(format)).msg, 'a request was refused');
});

describe('the log', () => {
  test('reports an outage without a stack, once, and then its count every second', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { logger, lines } = loggerOf();
    const fail = (cause: Error) =>
      logger.error({ err: new Unavailable('The database is away.', { cause }), route: '/flows/' }, 'request failed');
    for (let request = 0; request < 1000; request++) fail(refused());
    fail(new Error('Query read timeout'));
    const err = {
      type: 'Unavailable',
      message: 'The database is away.',
      code: 'unavailable',
      cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    };
    assert.equal(lines.length, 2);
    assert.deepEqual([lines[0]?.['err'], lines[0]?.['route'], lines[0]?.['msg']], [err, '/flows/', 'request failed']);
    t.mock.timers.tick(1000);
    assert.deepEqual(
      lines.slice(2).map(({ times }) => times),
      [999],
    );
    for (let request = 0; request < 5; request++) fail(refused());
    t.mock.timers.tick(1000);
    assert.deepEqual(
      lines.slice(3).map(({ times }) => times),
      [5],
    );
    t.mock.timers.tick(2000);
    fail(refused());
    assert.equal(lines.length, 5);
    assert.ok(!JSON.stringify(lines).includes('stack'));
  });

  test('reports every other error, with its stack', () => {
    const { logger, lines } = loggerOf();
    for (let request = 0; request < 3; request++) logger.error({ err: new TypeError('no') }, 'request failed');
    assert.equal(lines.length, 3);
    assert.match(JSON.stringify(lines[0]), /"stack":.*logger\.test/);
  });

  test('keeps a bounded number of causes', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { logger, lines } = loggerOf();
    for (let number = 0; number < 1000; number++)
      logger.error({ err: new Unavailable(`no ${number}`) }, 'request failed');
    assert.equal(lines.length, 101);
    t.mock.timers.tick(1000);
    assert.equal(lines.at(-1)?.['times'], 899);
  });
});
