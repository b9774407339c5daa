import assert from 'node:assert/strict';
import { test } from 'node:test';
import { http } from '../generate/resource.ts';
import type { RowOrder } from '../generate/step.ts';
import { path } from '../generate/symbols.ts';
import { Comparison } from './comparison.ts';
import type { Difference } from './difference.ts';
import { Identities } from './identities.ts';
import { Times } from './times.ts';

const bases = ['http://127.0.0.1:1', 'http://127.0.0.1:2'] as const;
const id = (digit: string) => `${digit.repeat(8)}-1111-4111-8111-111111111111`;

/** Compares answers in sequence, as a run does; returns the differences of the last pair. */
function compare(
  pairs: readonly (readonly [unknown, unknown])[],
  { rows, sent = [], status = 200 }: { rows?: RowOrder; sent?: readonly string[]; status?: number } = {},
): readonly Difference[] {
  const identities = new Identities();
  const times = new Times(10);
  for (const text of sent) {
    identities.addSent(text);
    times.addSent(text);
  }
  const step = http('GET /things/', path`/things/`, { rows });
  const answer = (body: unknown) => ({
    status,
    headers: { 'content-type': 'application/json' },
    text: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return pairs
    .map(([a, b]) => new Comparison(identities, times).answers(step, answer(a), answer(b), bases))
    .at(-1) as readonly Difference[];
}

const kinds = (differences: readonly Difference[]) =>
  differences.map(({ kind, path: where }) => `${kind} ${where}`.trim());

test('answers that differ only in ids, clock times and generated names are equal', () => {
  const a = {
    id: id('a'),
    created: '2026-01-01T00:00:00.123456Z',
    name: 'red-fox',
    tags: ['x', 'y'],
    estimated_run_time: 1.5,
  };
  const b = {
    id: id('b'),
    created: '2026-01-01T00:00:01.654321Z',
    name: 'blue-whale',
    tags: ['y', 'x'],
    estimated_run_time: 1.75,
  };
  assert.deepEqual(compare([[a, b]]), []);
});

test('an id that was paired with another object before is a difference', () => {
  const first = [{ id: id('a') }, { id: id('b') }] as const;
  assert.deepEqual(kinds(compare([first, [{ id: id('a') }, { id: id('c') }]])), ['id id']);
});

test('a number of another type is a difference, and a float in another notation is not', () => {
  assert.deepEqual(kinds(compare([['{"parameters":{"x":1.0}}', '{"parameters":{"x":1}}']])), [
    'number kind parameters.x',
  ]);
  assert.deepEqual(compare([['{"value":100000.0}', '{"value":1e5}']]), []);
  assert.deepEqual(kinds(compare([['{"value":9007199254740993}', '{"value":9007199254740992}']])), ['value value']);
});

test('a time of the client must be returned exactly, and so must one without a fraction', () => {
  const pair = [{ due: '2026-01-01T00:00:00.500000Z' }, { due: '2026-01-01T00:00:01.250000Z' }] as const;
  assert.deepEqual(compare([pair]), []);
  assert.deepEqual(kinds(compare([pair], { sent: ['2026-01-01T01:00:00.5+01:00'] })), ['time due']);
  assert.deepEqual(kinds(compare([[{ due: '2026-01-01T00:00:00Z' }, { due: '2026-01-01T00:00:01Z' }]])), ['time due']);
});

test('times that are equal on the reference must be equal on ours', () => {
  const a = { start_time: '2026-01-01T00:00:00.100000Z', end_time: '2026-01-01T00:00:00.100000Z' };
  const b = { start_time: '2026-01-01T00:00:00.200000Z', end_time: '2026-01-01T00:00:00.300000Z' };
  assert.deepEqual(kinds(compare([[a, b]])), ['time relation']);
  assert.deepEqual(compare([[b, a]]), []);
});

test('an object that was updated on one server only is a difference', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.001000Z`;
  const first = [
    { id: id('a'), updated: at(1) },
    { id: id('b'), updated: at(1) },
  ] as const;
  const moved = [
    { id: id('a'), updated: at(2) },
    { id: id('b'), updated: at(1) },
  ] as const;
  assert.deepEqual(kinds(compare([first, moved])), ['updated']);
});

test('ids in sentences are compared by the objects they name', () => {
  const first = [{ id: id('a') }, { id: id('b') }] as const;
  const sentence = (digit: string) => ({ detail: `Flow run with id ${id(digit)} not found` });
  assert.deepEqual(compare([first, [sentence('a'), sentence('b')]]), []);
  assert.deepEqual(kinds(compare([first, [sentence('a'), sentence('c')]])), ['text detail']);
});

test('a difference that an object showed before is marked as repeated', () => {
  const [a, b] = [
    { id: id('a'), level: 1 },
    { id: id('b'), level: 2 },
  ];
  const inList = [[a], [b]] as const;
  assert.deepEqual(
    compare([[a, b]]).map(({ repeated }) => repeated),
    [false],
  );
  assert.deepEqual(
    compare([[a, b], inList], { rows: {} }).map(({ path, repeated }) => [path, repeated]),
    [['[].level', true]],
  );
});

test('the JSON of a client is compared exactly', () => {
  const a = { parameters: { tags: ['x', 'y'], estimated_run_time: 1, name: 'red-fox' } };
  const b = { parameters: { tags: ['y', 'x'], estimated_run_time: 2, name: 'blue-whale' } };
  assert.deepEqual(kinds(compare([[a, b]])), [
    'text parameters.tags[]',
    'text parameters.tags[]',
    'value parameters.estimated_run_time',
    'text parameters.name',
  ]);
});

test('missing and additional keys get different findings', () => {
  assert.deepEqual(
    kinds(
      compare([
        [
          { a: 1, b: 2 },
          { b: 2, c: 3 },
        ],
      ]),
    ),
    ['missing key a', 'extra key c'],
  );
});

test('errors of a request are compared by type, position and message, and then by what they quote', () => {
  const fault = (type: string, input: unknown) => ({ type, loc: ['body', 'name'], msg: 'Field required', input });
  const body = (...faults: object[]) => ({ exception_message: 'Invalid request received.', exception_detail: faults });
  const [missing, other] = [fault('missing', {}), fault('extra_forbidden', 1)];
  assert.deepEqual(compare([[body(missing), body(missing)]]), []);
  assert.deepEqual(kinds(compare([[body(missing), body(other)]])), ['validation exception_detail']);
  assert.deepEqual(kinds(compare([[body(missing, other), body(other, missing)]])), [
    'validation order exception_detail',
  ]);
  assert.deepEqual(kinds(compare([[body(fault('missing', 1)), body(fault('missing', 2))]])), [
    'value exception_detail[].input',
  ]);
});

test('lists without a promised order are compared as sets', () => {
  const names = (...list: string[]) => list.map((name) => ({ name }));
  const pair = [names('n-1', 'n-2', 'n-3'), names('n-3', 'n-1', 'n-2')] as const;
  assert.deepEqual(compare([pair], { rows: {}, sent: ['n-1', 'n-2', 'n-3'] }), []);
});

test('a sorted list must be in order, but rows with the same key may swap places', () => {
  const rows = { key: (row: Record<string, unknown>) => String(row.level) };
  const list = (...entries: [string, string][]) => entries.map(([letter, level]) => ({ id: id(letter), level }));
  const known = [list(['a', '1'], ['b', '1'], ['c', '2']), list(['a', '1'], ['b', '1'], ['c', '2'])] as const;
  const tied = [list(['a', '1'], ['b', '1'], ['c', '2']), list(['b', '1'], ['a', '1'], ['c', '2'])] as const;
  const wrong = [list(['a', '1'], ['b', '1'], ['c', '2']), list(['a', '1'], ['c', '2'], ['b', '1'])] as const;
  assert.deepEqual(compare([known, tied], { rows }), []);
  assert.deepEqual(kinds(compare([known, wrong], { rows })), ['order']);
});

test('a list that was cut by its limit may end in any of several tied rows', () => {
  const rows = { key: (row: Record<string, unknown>) => String(row.level), limit: 2 };
  const list = (...entries: [string, string][]) => entries.map(([letter, level]) => ({ id: id(letter), level }));
  const known = [list(['a', '1'], ['b', '2'], ['c', '2']), list(['a', '1'], ['b', '2'], ['c', '2'])] as const;
  assert.deepEqual(compare([known, [list(['a', '1'], ['b', '2']), list(['a', '1'], ['c', '2'])]], { rows }), []);
  assert.deepEqual(kinds(compare([known, [list(['a', '1'], ['b', '2']), list(['c', '1'], ['b', '2'])]], { rows })), [
    'rows',
  ]);
});

test('a redirect leads to the same object of each server', () => {
  const identities = new Identities();
  const step = http('GET /things/{id}', path`/things/x`);
  const answer = (base: string, thing: string) => ({
    status: 307,
    headers: { location: `${base}/api/things/${thing}` },
    text: '',
  });
  const redirect = (a: string, b: string) =>
    new Comparison(identities, new Times(10)).answers(step, answer(bases[0], a), answer(bases[1], b), bases);
  assert.deepEqual(redirect('aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee', id('b')), []);
  assert.deepEqual(kinds(redirect('aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee', id('c'))), ['header header location']);
});

test('a different status is the only reported difference', () => {
  const identities = new Identities();
  const step = http('GET /things/', path`/things/`);
  const answer = (status: number) => ({ status, headers: {}, text: String(status) });
  const found = new Comparison(identities, new Times(10)).answers(step, answer(200), answer(404), bases);
  assert.deepEqual(kinds(found), ['status']);
});

test('rows match even when a number differs between the servers', () => {
  const artifact = (letter: string, data: string) =>
    `{"id":"${id(letter)}","created":"2026-01-01T00:00:00.1Z","data":${data}}`;
  const reference = `[${artifact('a', '100000')},${artifact('b', '1')}]`;
  const ours = `[${artifact('d', '1.0')},${artifact('c', '1e5')}]`;
  assert.deepEqual(kinds(compare([[reference, ours]], { rows: {} })), ['number kind [].data', 'number kind [].data']);
});

test('a later page by name may have other rows, because generated names are on the pages before', () => {
  const rows = (...names: string[]) => names.map((name, index) => ({ id: id('abcdef'[index] as string), name }));
  const pair = [rows('run-1', 'run-2', 'run-3'), rows('run-2', 'run-3', 'run-4')] as const;
  const sent = ['run-1', 'run-2', 'run-3', 'run-4'];
  const order: RowOrder = { key: ({ name }) => String(name), byName: true, limit: 3 };
  assert.deepEqual(kinds(compare([pair], { rows: { ...order, skipped: true }, sent })), []);
  assert.notDeepEqual(kinds(compare([pair], { rows: order, sent })), []);
});

test('a sum over runs may differ by the lag of one server for each run', () => {
  const times = new Times(10);
  times.addLag(0, 8000);
  const step = http('POST /flow_runs/history', path`/flow_runs/history`);
  const state = (count_runs: number, lateness: string) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: `{"count_runs":${count_runs},"sum_estimated_lateness":${lateness}}`,
  });
  const off = (count: number, seconds: string) =>
    kinds(new Comparison(new Identities(), times).answers(step, state(count, '0.0'), state(count, seconds), bases));
  assert.deepEqual(off(20, '200.5'), []);
  assert.deepEqual(off(1, '200.5'), ['value sum_estimated_lateness']);
});

test('rows of equal content that tie in the sort are distinguished by their creation time', () => {
  const row = (letter: string, second: number) => ({
    id: id(letter),
    created: `2026-01-01T00:00:0${second}.5Z`,
    key: null,
  });
  const [a, b, c, d] = [row('a', 1), row('b', 2), row('c', 1), row('d', 2)];
  const answers = new Comparison(new Identities(), new Times(10));
  const list = (rows: object[]) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify(rows),
  });
  const step = (key: string) =>
    http('POST /things/filter', path`/things/filter`, { rows: { key: (one) => String(one[key]) } });
  assert.deepEqual(answers.answers(step('key'), list([a, b]), list([d, c]), bases), []);
  assert.deepEqual(answers.answers(step('created'), list([a, b]), list([c, d]), bases), []);
});
