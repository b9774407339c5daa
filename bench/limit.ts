/**
 * The least work that answers reads of flow runs: bare node:http, one prepared statement for each request, and the
 * stored JSON as the answer. It decides nothing and validates nothing, so it is a yardstick and no server. `reads.ts`
 * fills it with the answers of a Signalbox and starts it.
 *
 *   node bench/limit.ts --database-url sqlite:/path/limit.db --port 4300
 */
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
// biome-ignore lint/correctness/noUndeclaredDependencies: the workspace of the server has it.
import pg from 'pg';

/** A page of runs that ended in one of `states`, the latest first. */
interface PageBody {
  readonly limit: number;
  readonly flow_runs: { readonly state: { readonly type: { readonly any_: readonly string[] } } };
}

/** A count of runs that are expected between two times. */
interface CountBody {
  readonly flow_runs: { readonly expected_start_time: { readonly after_: string; readonly before_: string } };
}

export interface StoredRun {
  readonly id: string;
  readonly state_type: string;
  readonly start_time: string;
  readonly expected_start_time: string;
  readonly pool: string | null;
  /** The answer to a read of this run. */
  readonly json: string;
}

interface Reads {
  one(id: string): string | undefined | Promise<string | undefined>;
  page(body: PageBody): string[] | Promise<string[]>;
  count(body: CountBody): number | Promise<number>;
  /** The runs of a pool that are due. */
  poll(pool: string, before: string): string[] | Promise<string[]>;
  add(runs: readonly StoredRun[]): void | Promise<void>;
}

const TABLES = [
  'create table run (id text primary key, state_type text, start_time text, expected text, pool text, json text)',
  'create index run_by_start on run (start_time)',
  'create index run_by_expected on run (expected)',
  'create index run_by_pool on run (pool, state_type, expected)',
];
/** Rows of one insert into PostgreSQL. */
const BATCH = 500;

function sqliteReads(file: string): Reads {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -16000');
  for (const statement of TABLES) database.exec(statement);
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const one = prepare('select json from run where id = ?');
  const page = prepare(
    'select json from run where state_type in (select value from json_each(?)) order by start_time desc limit +?',
  );
  const count = prepare('select count(*) from run where expected between ? and ?');
  const poll = prepare("select json from run where pool = ? and state_type = 'SCHEDULED' and expected <= ? limit 200");
  const insert = database.prepare('insert into run values (?, ?, ?, ?, ?, ?)');
  const texts = (rows: unknown) => (rows as [string][]).map(([json]) => json);
  return {
    one: (id) => (one.get(id) as unknown as [string] | undefined)?.[0],
    page: ({ limit, flow_runs }) => texts(page.all(JSON.stringify(flow_runs.state.type.any_), limit)),
    count: ({ flow_runs: { expected_start_time } }) =>
      (count.get(expected_start_time.after_, expected_start_time.before_) as unknown as [number])[0],
    poll: (pool, before) => texts(poll.all(pool, before)),
    add: (runs) => {
      database.exec('begin');
      for (const { id, state_type, start_time, expected_start_time, pool, json } of runs)
        insert.run(id, state_type, start_time, expected_start_time, pool, json);
      database.exec('commit; analyze');
    },
  };
}

async function postgresReads(url: string): Promise<Reads> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  for (const statement of TABLES) await pool.query(statement);
  const ask = async (name: string, text: string, values: unknown[]) =>
    (await pool.query<[string]>({ name, text, values, rowMode: 'array' })).rows;
  const texts = (rows: readonly [string][]) => rows.map(([json]) => json);
  return {
    one: async (id) => (await ask('one', 'select json from run where id = $1', [id]))[0]?.[0],
    page: async ({ limit, flow_runs }) =>
      texts(
        await ask('page', 'select json from run where state_type = any($1) order by start_time desc limit $2', [
          flow_runs.state.type.any_,
          limit,
        ]),
      ),
    count: async ({ flow_runs: { expected_start_time } }) =>
      Number(
        (
          await ask('count', 'select count(*) from run where expected between $1 and $2', [
            expected_start_time.after_,
            expected_start_time.before_,
          ])
        )[0]?.[0],
      ),
    poll: async (name, before) =>
      texts(
        await ask(
          'poll',
          "select json from run where pool = $1 and state_type = 'SCHEDULED' and expected <= $2 limit 200",
          [name, before],
        ),
      ),
    add: async (runs) => {
      for (let start = 0; start < runs.length; start += BATCH) {
        await pool.query(
          `insert into run select id, state_type, start_time, expected_start_time, pool, json
            from json_to_recordset($1) as run (id text, state_type text, start_time text, expected_start_time text, pool text, json text)`,
          [JSON.stringify(runs.slice(start, start + BATCH))],
        );
      }
      await pool.query('vacuum analyze run');
    },
  };
}

const { values } = parseArgs({ options: { 'database-url': { type: 'string' }, port: { type: 'string' } } });
const url = values['database-url'] ?? 'sqlite::memory:';
const reads = url.startsWith('sqlite:') ? sqliteReads(url.slice('sqlite:'.length)) : await postgresReads(url);

async function answer(path: readonly string[], body: string): Promise<string | undefined> {
  const [, , resource, name = '', verb] = path;
  if (resource === 'health') return 'true';
  if (resource === 'runs') {
    await reads.add(JSON.parse(body));
    return 'true';
  }
  if (resource === 'work_pools' && verb !== undefined) {
    const found = await reads.poll(name, JSON.parse(body).scheduled_before);
    return `[${found.map((json) => `{"flow_run":${json}}`).join()}]`;
  }
  if (resource !== 'flow_runs') return undefined;
  if (name === 'filter') return `[${(await reads.page(JSON.parse(body))).join()}]`;
  if (name === 'count') return String(await reads.count(JSON.parse(body)));
  return reads.one(name);
}

createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', async () => {
    const body = pieces.length === 1 ? pieces[0]!.toString() : Buffer.concat(pieces).toString();
    const text = await answer((request.url ?? '').split('/'), body).catch((error: Error) => {
      console.error(error);
      return undefined;
    });
    const sent = text ?? '{}';
    response.writeHead(text === undefined ? 404 : 200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(sent),
    });
    response.end(sent);
  });
}).listen(Number(values.port), '127.0.0.1');
