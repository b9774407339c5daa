/**
 * Tests every list that a request can search by, found in the shapes of the routes, with one value, a hundred, the
 * maximum and one more. No list may lengthen a statement or slow a request down, and none changes the result.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { assertWithin, timedTest } from '../../../test/support/timed.ts';
import { routes } from '../../app.ts';
import { compileQuery, type Query } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { Route } from '../../http/routes/route.ts';
import { listItems, type SchemaNode, tupleItems } from '../../schema/schema-node.ts';
import { MAX_LIST_VALUES, MAX_VALUE_LENGTH } from '../../schema/value-list.ts';
import { addSeconds, systemClock } from '../../values/time.ts';

/** So many that a look-up for each run and value would exceed the time limit many times over. */
const RUNS = 3000;
const MOST_SECONDS = 3;
/** Routes that search by a list; the other routes write data. */
const ASKING =
  /\/(filter|count|paginate|history|lateness|bulk_delete|bulk_set_state|get_scheduled_flow_runs|latest\/(filter|count)|count-\w+|count-by\/[^/]+|next-runs|task_runs\/count|flow_runs\/(history|count-task-runs)|increment|decrement|increment-with-lease|concurrency_status)\/?$/;

/** A position in a body and its schema. */
interface Place {
  readonly keys: readonly string[];
  readonly schema: SchemaNode;
  /** Names of the shapes on the way. */
  readonly shape: string;
}

function* placesIn(schema: SchemaNode, keys: readonly string[] = [], shape = ''): Generator<Place> {
  if (schema['~lazy']) return;
  const within = schema.$id ?? shape;
  for (const branch of schema.anyOf ?? schema.oneOf ?? []) yield* placesIn(branch, keys, within);
  if (schema.type === 'array' || schema.type === 'string') yield { keys, schema, shape: within };
  const items = schema.type === 'array' && !tupleItems(schema) ? listItems(schema) : undefined;
  if (items?.type === 'object') yield* placesIn(items, [...keys, '0'], within);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* placesIn(property, [...keys, name], within);
  }
}

/** Routes that delete come last, so that the others search many runs. */
const asking = routes
  .filter(({ method, path, body }) => method === 'POST' && body !== undefined && ASKING.test(path))
  .sort((left, right) => Number(left.path.includes('bulk')) - Number(right.path.includes('bulk')));
const isData = ({ keys }: Place) => keys[0] === 'state';
const listsOf = (route: Route) =>
  [...placesIn(route.body as SchemaNode)].filter((place) => place.schema.type === 'array' && !isData(place));

const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

function valueFor(item: SchemaNode | undefined, index: number): unknown {
  if (item?.format === 'uuid') return uuid(index);
  if (item?.enum) return item.enum[index % item.enum.length];
  const pair = item && tupleItems(item);
  if (pair) return pair.map((part) => valueFor(part, index));
  return item?.type === 'object' ? {} : `value-${index}`;
}

/** A body with `value` at its position and the other required fields. */
function bodyWith(route: Route, { keys }: { keys: readonly string[] }, value: unknown): object {
  const body: Record<string, unknown> = required(route.body as SchemaNode);
  let at: Record<string, unknown> = body;
  for (const [index, key] of keys.entries()) {
    const isLast = index === keys.length - 1;
    if (isLast) at[key] = value;
    else if (keys[index + 1] === '0') at[key] = [{}];
    else if (key !== '0') at[key] = {};
    at = (keys[index + 1] === '0' ? { 0: (at[key] as unknown[])[0] } : at[key]) as Record<string, unknown>;
  }
  return body;
}

function required(shape: SchemaNode): Record<string, unknown> {
  const now = systemClock.now();
  const known: Record<string, unknown> = {
    history_start: addSeconds(now, -3600),
    history_end: now,
    history_interval_seconds: 600,
    slots: 1,
    state: { type: 'CANCELLED' },
    task_run_id: uuid(1),
    lease_id: uuid(1),
    holder: { type: 'flow_run', id: uuid(1) },
    prefix: 'value',
  };
  return Object.fromEntries(
    Object.entries(shape.properties ?? {}).flatMap(([name, property]) => {
      if (name in known) return [[name, known[name]]];
      const isNeeded = property.default === undefined && (shape.required ?? []).includes(name);
      return isNeeded ? [[name, property.type === 'array' ? [] : {}]] : [];
    }),
  );
}

test('each list that a query searches by has a maximum length, and so has each of its texts', () => {
  assert.ok(asking.length > 50, String(asking.length));
  for (const route of asking) {
    for (const { keys, schema } of listsOf(route)) {
      assert.ok((schema.maxItems ?? MAX_LIST_VALUES + 1) <= MAX_LIST_VALUES, `${route.path} ${keys.join('.')}`);
    }
    for (const { keys, schema, shape } of placesIn(route.body as SchemaNode)) {
      const isFree = schema.type === 'string' && !schema.enum && !schema.format && /Filter/.test(shape);
      if (isFree) assert.ok((schema.maxLength ?? Infinity) <= MAX_VALUE_LENGTH, `${route.path} ${keys.join('.')}`);
    }
  }
});

for (const database of databases) {
  describe(`lists in filters on ${database}`, () => {
    let server: TestServer;
    let runId: string;
    /** Statements of the last requests. */
    let asked: Query<unknown>[] = [];

    before(async () => {
      server = await startServer({ database });
      const { store } = server.server;
      const reads = store.reads.bind(store);
      Object.assign(store, {
        reads: (...given: Parameters<typeof reads>) => {
          const db = reads(...given);
          const query: Db['query'] = (one, options) => {
            asked.push(one);
            return db.query(one, options);
          };
          const listJson: Db['listJson'] = (one) => {
            asked.push(one);
            return db.listJson!(one);
          };
          return Object.assign(Object.create(db) as Db, {
            query,
            ...(db.listJson && { listJson }),
            all: db.all.bind(db),
            first: db.first.bind(db),
          });
        },
      });
      const flowId = (await server.post('/flows/', { name: 'flow', tags: ['nightly'] })).body.id;
      runId = (await server.post('/flow_runs/', { flow_id: flowId, tags: ['nightly', 'odd'] })).body.id;
      await server.post('/work_pools/', { name: 'pool', type: 'process' });
      const context = server.context();
      const columns =
        'created, updated, name, flow_id, parameters, context, empirical_policy, tags, labels, state_type';
      const more = 'total_run_time, auto_scheduled, run_count, state_name';
      const kept = sql.raw(`${columns}, ${more}`);
      const rows = Array.from({ length: RUNS }, (_, index) => ({ id: uuid(1_000_000 + index) }));
      await context.transaction(async (tx) => {
        const item = tx.dialect.rowsFrom(JSON.stringify(rows), { id: 'uuid' });
        await tx.execute(
          sql`insert into flow_run ("workspace", id, ${kept}) select "workspace", item.id, ${kept}
            from flow_run, ${item} item where flow_run."workspace" = ${tx.workspace} and flow_run.id = ${runId}`,
        );
        await tx.execute(
          sql`insert into flow_run_tag ("workspace", tag, flow_run_id) select "workspace", tag, item.id
            from flow_run_tag, ${item} item
            where flow_run_tag."workspace" = ${tx.workspace} and flow_run_tag.flow_run_id = ${runId}`,
        );
      });
      await store.refreshStatistics();
    });
    after(() => server.stop());

    const urlOf = (path: string) =>
      path
        .replace('{countable}', 'event')
        .replace(/\{(work_pool_name|name|pool_name)\}/, path.includes('work_pools') ? 'pool' : 'x')
        .replace(/\{(\w+)\}/g, path.includes('flow_runs') ? runId : uuid(1));

    async function send(route: Route, body: object) {
      asked = [];
      return server.post(urlOf(route.path), body);
    }

    /** The texts of the statements, with every bound list. */
    const textLength = () =>
      asked.reduce((sum, query) => sum + compileQuery(query, server.server.store.dialect).sql.length, 0);

    async function assertPlannedOnce(what: string): Promise<void> {
      if (database !== 'sqlite') return;
      const { db } = server.context();
      for (const query of [...asked]) {
        const steps = await db.query(sql<{ detail: string }>`explain query plan ${query as ReturnType<typeof sql>}`);
        const plan = steps.map(({ detail }) => detail).join('\n');
        assert.doesNotMatch(plan, /CORRELATED LIST/, `${what}\n${plan}`);
      }
    }

    test('a list of any allowed length is answered by a statement of the same length; a longer one is refused', async () => {
      const seen = new Set<string>();
      for (const route of asking) {
        for (const { keys, schema, shape } of listsOf(route)) {
          const items = listItems(schema);
          const most = schema.maxItems ?? 0;
          const where = `${route.path} ${keys.join('.')}`;
          const isNew = !seen.has(`${shape} ${keys.slice(-3).join('.')}`);
          seen.add(`${shape} ${keys.slice(-3).join('.')}`);
          const body = (length: number) =>
            bodyWith(
              route,
              { keys },
              Array.from({ length }, (_, index) => valueFor(items, index)),
            );
          let shortest = 0;
          for (const length of isNew ? [2, 1, 100, most] : [100]) {
            if (length > most) continue;
            const answer = await send(route, body(length));
            assert.ok(
              answer.status < 422 || answer.status === 423,
              `${where} ${length}: ${answer.status} ${answer.text.slice(0, 500)}`,
            );
            if (length === 2) shortest = textLength();
            // Statements contain prefixes and searches one by one; both are few.
            if (isNew && length === MAX_LIST_VALUES) {
              assert.ok(textLength() <= shortest + 100, `${where}: ${shortest} → ${textLength()}`);
              await assertPlannedOnce(where);
            }
          }
          if (!isNew) continue;
          const tooMany = await send(route, body(most + 1));
          assert.equal(tooMany.status, 422, `${where}: ${tooMany.text.slice(0, 200)}`);
          const issues = tooMany.body.exception_detail as { type: string; loc: string[] }[];
          const told = issues.find(({ type }) => type === 'too_long');
          const named = keys.filter((key) => key !== '0');
          assert.deepEqual(
            told?.loc.filter((key) => named.includes(key)),
            named,
            where,
          );
        }
      }
      assert.ok(seen.size > 60, `only ${seen.size} lists`);
    });

    timedTest('the longest list that is allowed is answered in time', async () => {
      const seen = new Set<string>();
      for (const route of asking) {
        for (const { keys, schema, shape } of listsOf(route)) {
          const name = `${shape} ${keys.slice(-3).join('.')}`;
          if (seen.has(name)) continue;
          seen.add(name);
          const items = listItems(schema);
          const longest = Array.from({ length: schema.maxItems ?? 0 }, (_, index) => valueFor(items, index));
          await assertWithin(
            MOST_SECONDS,
            () => send(route, bodyWith(route, { keys }, longest)),
            'with what it waits for',
          );
        }
      }
    });

    /** The main filter of a list route, and an object's value for each of its fields. */
    const lists: readonly (readonly [path: string, filter: string, objects: () => readonly object[]])[] = [
      [
        '/flows/filter',
        'flows',
        () => [{ name: 'A flow', tags: ['x'] }, { name: 'B', tags: ['x', 'y', 'z'] }, { name: 'C' }],
      ],
      [
        '/variables/filter',
        'variables',
        () => [
          { name: 'v1', value: 1, tags: ['x', 'y'] },
          { name: 'v2', value: 2 },
        ],
      ],
      ['/artifacts/filter', 'artifacts', () => [{ key: 'k1', type: 'table' }, { key: 'k2', type: 'x' }, { type: 'x' }]],
      [
        '/flow_runs/filter',
        'flow_runs',
        () => [
          { name: 'r1', tags: ['x', 'y'], flow_version: '1', idempotency_key: 'i1' },
          { name: 'r2', tags: ['x'], state: { type: 'COMPLETED', name: 'Done' } },
          { name: 'r3' },
        ],
      ],
      [
        '/task_runs/filter',
        'task_runs',
        () => [
          { name: 't1', tags: ['x', 'y'] },
          { name: 't2', tags: ['y'] },
        ],
      ],
      [
        '/work_pools/filter',
        'work_pools',
        () => [
          { name: 'p1', type: 'a' },
          { name: 'p2', type: 'b' },
        ],
      ],
      ['/deployments/filter', 'deployments', () => [{ name: 'd1', tags: ['x', 'y'] }, { name: 'd2' }]],
    ];

    type Row = Record<string, unknown>;
    const has = (row: Row, keys: readonly string[]): readonly unknown[] => {
      const value = keys.reduce<unknown>((at, key) => (at as Row | null)?.[key], row);
      return Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
    };
    const holds: Readonly<Record<string, (own: readonly unknown[], asked: ReadonlySet<unknown>) => boolean>> = {
      any_: (own, asked) => own.some((value) => asked.has(value)),
      all_: (own, asked) => [...asked].every((value) => own.includes(value)),
      not_any_: (own, asked) => own.length > 0 && !own.some((value) => asked.has(value)),
    };

    test('short and long lists select the objects that a plain comparison selects', async () => {
      const flow_id = (await server.post('/flows/', { name: 'of runs' })).body.id;
      const run = (await server.post('/flow_runs/', { flow_id })).body;
      const beside: Record<string, object> = {
        '/flow_runs/filter': { flow_id },
        '/deployments/filter': { flow_id },
        '/task_runs/filter': { flow_run_id: run.id, task_key: 'k' },
      };
      let compared = 0;
      for (const [path, filter, objects] of lists) {
        const ids: string[] = [];
        for (const [index, object] of objects().entries()) {
          const more = path === '/task_runs/filter' ? { dynamic_key: String(index) } : {};
          const made = await server.post(path.replace('filter', ''), { ...beside[path], ...more, ...object });
          assert.ok(made.status < 300, `${path} ${made.text.slice(0, 300)}`);
          ids.push(made.body.id);
        }
        const all = (await server.post(path, { [filter]: { id: { any_: ids } } })).body as Row[];
        assert.equal(all.length, ids.length, path);
        const route = asking.find((one) => one.path === path)!;
        for (const { keys, schema } of listsOf(route)) {
          const operator = keys.at(-1)!;
          const holdsHere = holds[operator];
          if (keys[0] !== filter || keys[1] === 'id' || !holdsHere) continue;
          const field = keys.slice(1, -1);
          const values = [...new Set(all.flatMap((row) => has(row, field)))];
          if (values.length === 0) continue;
          for (const wanted of [values.slice(0, 1), values.slice(1, 3), values]) {
            const filler = (length: number) =>
              Array.from({ length }, (_, index) =>
                operator === 'all_' ? wanted[index % wanted.length] : valueFor(listItems(schema), 500_000 + index),
              );
            for (const length of [0, 1, 100, MAX_LIST_VALUES - wanted.length]) {
              if (wanted.length === 0) continue;
              const asked = [...wanted, ...filler(length)];
              const nested = [...field, operator].reduceRight<unknown>((inner, key) => ({ [key]: inner }), asked);
              const answer = await server.post(path, { [filter]: { id: { any_: ids }, ...(nested as object) } });
              const found = (answer.body as Row[]).map(({ id }) => id).sort();
              const expected: unknown[] = all
                .filter((row) => holdsHere(has(row, field), new Set(asked)))
                .map(({ id }) => id);
              assert.deepEqual(found, expected.sort(), `${path} ${keys.join('.')} ${length}`);
              compared++;
            }
          }
        }
      }
      assert.ok(compared > 150, String(compared));
    });
  });
}
