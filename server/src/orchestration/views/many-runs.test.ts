import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';

/** More than two requests look at. */
const RUNS = 45_000;
/** Runs of one transaction. */
const BATCH = 1000;
/** Seconds between two runs. */
const STEP = 60;
const NEEDLE = RUNS - 5;

const names = Array.from({ length: RUNS }, (_, index) => (index === NEEDLE ? 'needle' : `straw-${index % 70}`));

interface Page {
  readonly runs: { readonly id: string; readonly name: string }[];
  readonly next: object | null;
  readonly count: number | null;
  readonly counted_since: Timestamp | null;
  readonly history: { states: { count_runs: number }[] }[] | null;
}

for (const database of databases) {
  describe(`lists of many runs on ${database}`, () => {
    let server: TestServer;
    let now: Timestamp;
    before(async () => {
      server = await startServer({ database });
      now = server.context().now;
      const { body: flow } = await server.post('/flows/', { name: 'busy' });
      const { body: run } = await server.post('/flow_runs/', { flow_id: flow.id });
      const rows = Array.from({ length: RUNS }, (_, index) => ({
        id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        name: names[index],
        type: index === NEEDLE ? 'FAILED' : 'COMPLETED',
        start: addSeconds(now, -STEP * index),
      }));
      const { dialect } = server.context().db;
      const columns = { id: 'uuid', name: 'text', type: 'text', start: 'timestamp' } as const;
      const copied = ['flow_id', 'parameters', 'context', 'empirical_policy', 'tags', 'labels', 'auto_scheduled'];
      const kept = sql.join(copied.map((name) => sql.id(name)));
      const tagged = rows.map(({ id }) => ({ id, tag: 'common' }));
      tagged.push({ id: rows[NEEDLE]!.id, tag: 'rare' });
      for (let from = 0; from < RUNS; from += BATCH) {
        const item = dialect.rowsFrom(JSON.stringify(rows.slice(from, from + BATCH)), columns);
        await server.context().transaction((tx) =>
          tx.execute(
            sql`insert into flow_run ("workspace", id, name, created, updated, expected_start_time, start_time,
                state_type, state_name, run_count, total_run_time, ${kept})
              select "workspace", item.id, item.name, item.start, item.start, item.start, item.start, item.type,
                item.type, 1, 1, ${kept}
              from flow_run, ${item} item where flow_run."workspace" = ${tx.workspace} and flow_run.id = ${run.id}`,
          ),
        );
      }
      const item = dialect.rowsFrom(JSON.stringify(tagged), { id: 'uuid', tag: 'text' });
      await server.context().transaction((tx) =>
        tx.execute(
          sql`insert into flow_run_tag ("workspace", flow_run_id, tag)
            select ${dialect.typed(tx.workspace, 'integer')}, item.id, item.tag from ${item} item`,
        ),
      );
      // A server does so as its tables grow.
      await server.server.store.refreshStatistics();
    });
    after(() => server.stop());

    const read = async (body: object): Promise<Page> => {
      const { status, body: page, text } = await server.post('/views/runs', body);
      assert.equal(status, 200, text);
      return page;
    };
    async function readAll(body: object): Promise<Page[]> {
      const pages: Page[] = [];
      let next: object | null = null;
      do {
        const page = await read({ ...body, after: next });
        pages.push(page);
        next = page.next;
      } while (next !== null);
      return pages;
    }
    const times = () => ({ start_time: { after_: addSeconds(now, -STEP * RUNS), before_: addSeconds(now, 60) } });
    const history = () => ({ start: addSeconds(now, -STEP * RUNS), end: addSeconds(now, 60), intervals: 60 });

    test('a name that few runs have is found some requests later, in either order', async () => {
      const lengthsBySort = {
        START_TIME_DESC: [0, 0, 1],
        START_TIME_ASC: [1, 0, 0],
        NAME_ASC: [1, 0, 0, 0, 0],
        NAME_DESC: [0, 0, 0, 0, 1],
      };
      for (const [sort, expected] of Object.entries(lengthsBySort)) {
        const pages = await readAll({ flow_runs: { ...times(), name: { like_: 'needle' } }, sort, limit: 10 });
        const lengths = pages.map(({ runs }) => runs.length);
        assert.deepEqual(lengths, expected, sort);
        assert.equal(pages.flatMap(({ runs }) => runs)[0]?.name, 'needle');
      }
    });

    test('pages of a name or a frequent tag hold each run once', async () => {
      for (const own of [{ name: { like_: 'straw-3' } }, { name: { like_: 'straw-3' }, tags: { all_: ['common'] } }]) {
        for (const sort of ['START_TIME_DESC', 'START_TIME_ASC']) {
          const pages = await readAll({ flow_runs: { ...times(), ...own }, sort, limit: 200 });
          const ids = pages.flatMap(({ runs }) => runs.map(({ id }) => id));
          assert.equal(ids.length, names.filter((name) => name.includes('straw-3')).length);
          assert.deepEqual(ids, sort === 'START_TIME_DESC' ? ids.toSorted() : ids.toSorted().toReversed());
          assert.equal(new Set(ids).size, ids.length);
        }
      }
    });

    test('pages in the order of run time or state hold each run once', async () => {
      const expected = names.flatMap((name, index) => (name === 'straw-33' ? [index] : []));
      for (const sort of ['RUN_TIME_DESC', 'STATE_DESC']) {
        const pages = await readAll({ flow_runs: { ...times(), name: { any_: ['straw-33'] } }, sort, limit: 200 });
        const indexes = pages.flatMap(({ runs }) => runs.map(({ id }) => Number(id.slice(-12))));
        // All run times are the same, and the newest run has the lowest id.
        assert.deepEqual(sort === 'STATE_DESC' ? indexes : indexes.toReversed(), expected, sort);
      }
    });

    test('a rare tag and a rare state are found at once, and counted whole', async () => {
      for (const own of [{ tags: { all_: ['rare'] } }, { state: { type: { any_: ['FAILED'] } } }]) {
        const page = await read({ flow_runs: { ...times(), ...own }, history: history() });
        assert.deepEqual([page.runs.map(({ name }) => name), page.count, page.counted_since], [['needle'], 1, null]);
      }
    });

    test('counts of states are whole; those of a frequent tag say from when on', async () => {
      const sum = ({ history: intervals }: Page) =>
        (intervals ?? []).flatMap(({ states }) => states).reduce((total, { count_runs }) => total + count_runs, 0);
      const all = await read({ flow_runs: times(), history: history(), limit: 1 });
      assert.deepEqual([all.count, all.counted_since, sum(all)], [RUNS + 1, null, RUNS + 1]);
      const tagged = await read({
        flow_runs: { ...times(), tags: { all_: ['common'] } },
        history: history(),
        limit: 1,
      });
      assert.equal(tagged.counted_since, addSeconds(now, -STEP * (tagged.count! - 1)));
      assert.ok(tagged.count! >= 20_000 && tagged.count! < RUNS, String(tagged.count));
      assert.equal(sum(tagged), tagged.count);
    });
  });
}
