import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { logIndex } from '../../../services/log-index.ts';
import { WorkspaceRetention } from '../../../services/old-rows/retention.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { insertLogs } from '../../logs/queries.ts';
import { endOfBatch, indexLines } from '../../logs/search/blocks.ts';
import { searchLogs } from '../../logs/search/search.ts';
import { logText } from '../../logs/search/text.ts';

const START = '2026-11-20T10:00:00.000000Z' as Timestamp;
const at = (seconds: number) => addSeconds(START, seconds);

interface Line {
  readonly message: string;
  readonly level?: number;
  readonly timestamp?: string;
  readonly name?: string;
  readonly flow_run_id?: string | null;
  readonly task_run_id?: string | null;
}

const where = (field: string, values: readonly string[], not = false) => ({ field, values, not });

test('a transaction stores no more lines than it can soon index', () => {
  const batchesOf = (lines: readonly { readonly message: string; readonly flow_run_id?: string }[]) => {
    const sizes: number[] = [];
    for (let from = 0, end: number; from < lines.length; from = end) {
      end = endOfBatch(lines, from);
      sizes.push(end - from);
    }
    return sizes;
  };
  const lines = (count: number, characters: number) => Array(count).fill({ message: 'x'.repeat(characters) });
  assert.deepEqual(batchesOf(lines(1500, 100)), [1000, 500]);
  assert.deepEqual(batchesOf(lines(10, 64 * 1024)), [4, 4, 2]);
  assert.deepEqual(batchesOf(lines(2, 1024 * 1024)), [1, 1]);
  assert.deepEqual(
    batchesOf(Array.from({ length: 250 }, () => ({ message: 'x', flow_run_id: newId() }))),
    [100, 100, 50],
  );
});

for (const database of databases) {
  describe(`the search in log lines on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const send = async (...lines: readonly Line[]) => {
      const batch = lines.map((line) => ({ name: 'prefect.flow_runs', level: 20, timestamp: at(0), ...line }));
      const { status, text } = await server.post('/logs/', batch);
      assert.equal(status, 201, text);
    };
    const list = (body: object) => server.post('/views/logs', body);
    const messages = async (q: string, more: object = {}): Promise<string[]> => {
      const { status, body, text } = await list({ q, ...more });
      assert.equal(status, 200, text);
      return body.lines.map(({ message }: { message: string }) => message);
    };
    const refusal = async (body: object): Promise<unknown> => {
      const answer = await list(body);
      assert.equal(answer.status, 422, answer.text);
      return answer.body.exception_detail[0].loc.join('.');
    };
    const runOf = async (flow: string) => {
      const { body } = await server.post('/flows/', { name: flow });
      return (await server.post('/flow_runs/', { flow_id: body.id, name: `${flow}-run` })).body.id as string;
    };
    /** Each test looks in times of its own. */
    let hour = 0;
    const span = () => {
      hour += 1;
      const since = at(hour * 3600);
      return { since, until: addSeconds(since, 3599), time: (seconds: number) => addSeconds(since, seconds) };
    };

    test('words and their beginnings are found over all runs, newest first', async () => {
      const { time, ...within } = span();
      const [one, other] = [await runOf('etl'), await runOf('report')];
      await send(
        { message: 'Connection reset by peer', timestamp: time(1), flow_run_id: one },
        { message: 'a terror', timestamp: time(2), flow_run_id: one },
      );
      await send({ message: 'connection lost: timeout_error', timestamp: time(3), flow_run_id: other });
      await send({ message: 'of no run: connections', timestamp: time(0) });
      const [lost, reset, none] = [
        'connection lost: timeout_error',
        'Connection reset by peer',
        'of no run: connections',
      ];
      assert.deepEqual(await messages('connection', within), [lost, reset, none]);
      assert.deepEqual(await messages('CONN res', within), [reset]);
      assert.deepEqual(await messages('err', within), [lost]);
      assert.deepEqual(await messages('connection -lost', within), [reset, none]);
      assert.deepEqual(await messages('"reset by"', within), [reset]);
      assert.deepEqual(await messages('"by reset"', within), []);
      assert.deepEqual(await messages('timeout_err', within), [lost]);
      assert.deepEqual(await messages('nowhere', within), []);
      const { body } = await list({ q: 'reset', ...within });
      const { flow_name, flow_run_name, flow_run_id, is_cut, level } = body.lines[0];
      assert.deepEqual([flow_name, flow_run_name, flow_run_id, is_cut, level], ['etl', 'etl-run', one, false, 20]);
      assert.deepEqual([body.next, body.is_indexed, body.indexed_since], [null, true, null]);
    });

    test('what means something to a database is only words', async () => {
      const { time, ...within } = span();
      const message = `key NEAR(a, b) col:umn "quo'ted" AND or NOT 100% a_b \\ * ^x {y} | & ! ( ) <-> :* ; drop table log`;
      await send({ message, timestamp: time(1), flow_run_id: newId() });
      for (const q of [
        'NEAR(a',
        'col:umn',
        "quo'ted",
        'AND or NOT',
        'near(a, b)',
        'key*',
        '100%',
        '^x',
        '{y}',
        '|',
        '&',
        '( )',
        '<->',
        ':*',
        '"drop table"',
        '\\',
        '*',
        "'",
        'key :*',
        'or',
      ]) {
        const answer = await list({ q, ...within });
        assert.equal(answer.status, 200, `${q}: ${answer.text}`);
        assert.equal(answer.body.lines.length, q === 'key*' ? 0 : 1, q);
      }
      for (const q of ['"', '-', '""', '!', '%%%', ' ', 'umn" OR "key']) {
        assert.equal((await list({ q, ...within })).status, 200, q);
      }
      assert.equal(await refusal({ q: 'a\u0000b', ...within }), 'body.q');
      assert.equal(await refusal({ q: 'x'.repeat(201) }), 'body.q');
    });

    test('words of any script are found, and characters of scripts without spaces', async () => {
      const { time, ...within } = span();
      const run = newId();
      const texts = ['Größe der ÉCOLE', 'データベース接続が失敗', '部署 🔥 fire', 'การเชื่อมต่อ', 'Ошибка сети'];
      await send(...texts.map((message, index) => ({ message, timestamp: time(index), flow_run_id: run })));
      for (const [q, index] of [
        ['école', 0],
        ['GRÖ', 0],
        ['接続', 1],
        ['失敗', 1],
        ['ベース', 1],
        ['🔥', 2],
        ['เชื่อม', 3],
        ['ошиб СЕТИ', 4],
      ] as const) {
        assert.deepEqual(await messages(q, within), [texts[index]], q);
      }
      assert.deepEqual(await messages('続接', within), []);
    });

    test('parts of words are found within a run, a flow or a day, and refused over all time', async () => {
      const { time, ...within } = span();
      const run = await runOf('parts');
      await send(
        { message: 'a terrorist', timestamp: time(1), flow_run_id: run },
        { message: '%%', timestamp: time(2), flow_run_id: run },
      );
      const parts = { match: 'parts' };
      assert.deepEqual(await messages('error', { ...parts, ...within }), ['a terrorist']);
      for (const [field, value] of [
        ['run', run],
        ['run', 'parts-run'],
        ['flow', 'parts'],
      ]) {
        assert.deepEqual(await messages('error', { ...parts, where: [where(field!, [value!])] }), ['a terrorist']);
      }
      assert.equal(await refusal({ q: 'error', ...parts }), 'body.q');
      assert.equal(await refusal({ q: '%%' }), 'body.q');
      assert.equal(await refusal({ q: 'error', ...parts, since: at(0), until: at(3 * 86_400) }), 'body.q');
      assert.deepEqual(await messages('%%', { where: [where('run', [run])] }), ['%%']);
    });

    test('each field selects, and excludes with not', async () => {
      const { time, ...within } = span();
      const [one, other] = [await runOf('orders'), await runOf('stock')];
      const task = await server.post('/task_runs/', {
        flow_run_id: one,
        task_key: 'load',
        dynamic_key: '0',
        name: 'load-0',
      });
      await send(
        { message: 'plain', timestamp: time(1), flow_run_id: one },
        {
          message: 'broken',
          level: 40,
          timestamp: time(2),
          flow_run_id: one,
          task_run_id: task.body.id,
          name: 'my.logger',
        },
        { message: 'odd', level: 30, timestamp: time(3), flow_run_id: other },
        { message: 'alone', level: 10, timestamp: time(4) },
      );
      const found = (...conditions: object[]) => messages('', { ...within, where: conditions });
      assert.deepEqual(await found(), ['alone', 'odd', 'broken', 'plain']);
      assert.deepEqual(await found(where('level', ['warning'])), ['odd', 'broken']);
      assert.deepEqual(await found(where('level', ['ERROR'])), ['broken']);
      assert.deepEqual(await found(where('level', ['info'], true)), ['alone']);
      assert.deepEqual(await found(where('flow', ['orders'])), ['broken', 'plain']);
      assert.deepEqual(await found(where('flow', ['orders', 'stock'])), ['odd', 'broken', 'plain']);
      assert.deepEqual(await found(where('flow', ['orders'], true)), ['alone', 'odd']);
      assert.deepEqual(await found(where('run', [other])), ['odd']);
      assert.deepEqual(await found(where('run', ['orders-run']), where('level', ['error'])), ['broken']);
      assert.deepEqual(await found(where('task', [task.body.id])), ['broken']);
      assert.deepEqual(await found(where('task', ['load'])), ['broken']);
      assert.deepEqual(await found(where('task', ['load'], true)), ['alone', 'odd', 'plain']);
      assert.deepEqual(await found(where('logger', ['my.*'])), ['broken']);
      assert.deepEqual(await found(where('flow', ['nothing'])), []);
      assert.deepEqual(await messages('bro', { ...within, where: [where('flow', ['orders', 'stock'])] }), ['broken']);
      assert.equal(await refusal({ where: [where('level', ['loud'])] }), 'body.where.0.values');
      assert.equal(await refusal({ where: [where('secret', ['x'])] }), 'body.where.0.field');
      const values = async (field: string, more: object = {}) => {
        const { body } = await server.post('/views/logs/values', { field, ...within, ...more });
        return Object.fromEntries(
          body.values.map(({ value, count }: { value: string; count: number }) => [value, count]),
        );
      };
      assert.deepEqual(await values('flow'), { orders: 2, stock: 1 });
      assert.deepEqual(await values('flow', { where: [where('level', ['error'])], text: 'ORD' }), { orders: 1 });
      assert.deepEqual(await values('level'), { info: 1, error: 1, warning: 1, debug: 1 });
      assert.deepEqual(await values('task'), { 'load-0': 1 });
      assert.deepEqual(await values('run', { q: 'odd' }), { 'stock-run': 1 });
      assert.deepEqual(await values('deployment'), {});
    });

    test('pages hold each line once, in the order of time, whatever the order in which batches came', async () => {
      const { time, ...within } = span();
      const runs = [newId(), newId(), null];
      for (const batch of [3, 0, 4, 1, 2]) {
        for (const [index, flow_run_id] of runs.entries()) {
          const lines = Array.from({ length: 20 }, (_, line) => {
            const seconds = batch * 30 + line * 5 + index;
            return {
              message: `step ${String(seconds).padStart(3, '0')} of ${index}`,
              timestamp: time(seconds),
              flow_run_id,
            };
          });
          await send(...lines);
        }
      }
      for (const q of ['step', '']) {
        const seen: { message: string; timestamp: string }[] = [];
        let next: object | null = null;
        let pages = 0;
        do {
          const { body } = await list({ q, ...within, limit: 17, after: next });
          seen.push(...body.lines);
          next = body.next;
          pages += 1;
        } while (next !== null && pages < 100);
        assert.equal(seen.length, 300);
        const times = seen.map(({ timestamp }) => timestamp);
        assert.deepEqual(times, times.toSorted().toReversed());
      }
    });

    test('a line of a megabyte is found by its words, and shown in part', async () => {
      const { time, ...within } = span();
      const message = `begin ${'lorem ipsum '.repeat(90_000)} end`;
      await send({ message, timestamp: time(1), flow_run_id: newId() });
      const { body } = await list({ q: 'ipsum begin', ...within });
      assert.equal(body.lines.length, 1);
      assert.equal(body.lines[0].is_cut, true);
      assert.equal(body.lines[0].message, message.slice(0, 16_384));
    });

    test('each of many long words is found', async () => {
      const { time } = span();
      const word = (number: number) =>
        Array.from(String(number).padStart(6, '0'), (digit) => String.fromCodePoint(0xac00 + Number(digit)))
          .join('')
          .padEnd(64, '\uac00');
      let words = 0;
      const line = (count: number) => ({
        message: Array.from({ length: count }, () => word(words++)).join(' '),
        timestamp: time(1),
        flow_run_id: null,
      });
      await send(line(1333), line(1333), line(1333), line(1538));
      for (const number of [0, 1332, 1333, 3998, 3999, words - 1]) {
        assert.equal((await messages(word(number))).length, 1, `word ${number}`);
      }
    });

    test('lines of any year are found on each page', async () => {
      const years = [
        '9999-12-31T23:59:59',
        '9999-12-31T23:59:58',
        '2200-01-01',
        '1960-01-01',
        '0001-01-02',
        '0001-01-01',
      ];
      const times = years.map((year) => `${year}${year.includes('T') ? '' : 'T00:00:00'}.000000Z`);
      for (const timestamp of times) await send({ message: 'calendar', timestamp, flow_run_id: newId() });
      const found: string[] = [];
      let next: object | null = null;
      do {
        const { body } = await list({ q: 'calendar', limit: 1, after: next });
        found.push(
          ...body.lines.map(({ timestamp }: { timestamp: string }) => timestamp.replace(/(\.0+)?Z$/, '.000000Z')),
        );
        next = body.next;
      } while (next !== null && found.length < 100);
      assert.deepEqual(found, times);
      for (const [index, until] of times.entries()) {
        assert.equal((await messages('calendar', { until })).length, times.length - index, until);
        assert.equal((await messages('calendar', { since: until })).length, index + 1, until);
      }
    });

    test('a page stays bounded when more lines share one moment than it may read', async () => {
      const { time } = span();
      const LINES = 40;
      const run = newId();
      for (let line = 0; line < LINES; line++) {
        await send({ message: `crowd ${line} ${'y'.repeat(1024 * 1024)}`, timestamp: time(1), flow_run_id: run });
      }
      const found: string[] = [];
      let next: object | null = null;
      let pages = 0;
      do {
        const { body } = await list({ q: 'crowd', limit: 200, after: next });
        assert.ok(body.lines.length <= LINES / 2, `${body.lines.length} lines on a page`);
        found.push(...body.lines.map(({ id }: { id: string }) => id));
        next = body.next;
        pages += 1;
      } while (next !== null && pages < LINES);
      assert.deepEqual([found.length, new Set(found).size], [LINES, LINES]);
    });

    test('lines of another workspace are not found, and its words are others', async () => {
      const { time, ...within } = span();
      const { store, defaultWorkspace } = server.server;
      const other = defaultWorkspace + 77;
      const line = {
        id: newId(),
        name: 'x',
        level: 50,
        message: 'foreign secret',
        timestamp: time(1),
        flow_run_id: newId(),
        task_run_id: null,
      };
      await store.transaction(other, async (tx) => {
        await insertLogs(tx, time(1), [line]);
        await indexLines(tx, [line]);
      });
      const search = { where: [], text: logText('foreign', false), since: undefined, until: undefined };
      const found = (workspace: number) =>
        searchLogs(store.reads(workspace), search, { now: time(2), isIndexed: true, limit: 10, after: null });
      assert.deepEqual([(await found(other)).lines.length, (await found(defaultWorkspace)).lines.length], [1, 0]);
      for (const more of [
        {},
        { match: 'parts' },
        { where: [where('run', [line.flow_run_id])] },
        { where: [where('level', ['critical'])] },
      ]) {
        assert.deepEqual(await messages('foreign', { ...within, ...more }), []);
      }
      assert.deepEqual(await messages('', { ...within, where: [where('run', [line.flow_run_id])] }), []);
    });

    test('rows of the index go with their lines', async () => {
      const { time } = span();
      const run = await runOf('going');
      await send({ message: 'vanishing', timestamp: time(1), flow_run_id: run });
      const blocks = async () => {
        const { db } = server.context();
        const found = await db.query(
          sql<{
            count: number;
          }>`select count(*) as count from log_block where "workspace" = ${db.workspace} and flow_run_id = ${run}`,
        );
        const words = db.dialect.blockWords.having([{ text: `${db.workspace}xvanishing`, isBeginning: false }]);
        const indexed = await db.query(
          sql<{
            count: number;
          }>`select count(*) as count from ${words.source} and log_block."workspace" = ${db.workspace}`,
        );
        return [Number(found[0]?.count), Number(indexed[0]?.count)];
      };
      assert.deepEqual(await blocks(), [1, 1]);
      assert.equal((await server.delete(`/flow_runs/${run}`)).status, 204);
      assert.deepEqual(await blocks(), [0, 0]);
      await send({ message: 'vanishing', timestamp: time(1), flow_run_id: run });
      const retention = new WorkspaceRetention();
      const later = addSeconds(server.server.clock.now(), 400 * 86_400);
      while (await retention.runOnce(server.context(later)));
      assert.deepEqual(await blocks(), [0, 0]);
    });

    test('lines that were stored without the index are indexed later, and the index goes when it is off', async () => {
      const { time } = span();
      const { server: inner } = server;
      const without = { ...inner.config, logSearchIndex: false };
      const indexOf = (config: typeof without) => {
        const context = server.context();
        return logIndex.runOnce({ ...context, server: { ...context.server, config } } as typeof context);
      };
      while (await indexOf(without));
      const { db } = server.context();
      const count = async () =>
        Number(
          (
            await db.query(sql<{ n: number }>`select count(*) as n from log_block where "workspace" = ${db.workspace}`)
          )[0]?.n,
        );
      assert.equal(await count(), 0);
      Object.assign(inner, { config: without });
      try {
        await send(
          ...Array.from({ length: 450 }, (_, index) => ({
            message: `early ${index}`,
            timestamp: time(index),
            flow_run_id: newId(),
          })),
        );
        assert.equal(await refusal({ q: 'early' }), 'body.q');
        const answer = await list({ q: 'early', since: time(0), until: time(500) });
        assert.deepEqual([answer.body.lines.length, answer.body.is_indexed], [50, false]);
      } finally {
        Object.assign(inner, { config: { ...without, logSearchIndex: true } });
      }
      await logIndex.runOnce(server.context());
      const { body } = await list({ q: 'early' });
      assert.notEqual(body.indexed_since, null);
      while (await logIndex.runOnce(server.context()));
      const { body: whole } = await list({ q: '"early 7"' });
      assert.deepEqual([whole.lines.length > 0, whole.indexed_since], [true, null]);
    });
  });
}
