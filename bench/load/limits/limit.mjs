#!/usr/bin/env node
// Physical limits: the least a server could do and still answer the loadlab workloads durably. Not an implementation: no validation, no rules, no events.
//   node limit.mjs <hello|sqlite|pg> --port 4410 [--sync NORMAL|FULL] [--db file | --pg postgres://...] [--pool 32]
// Answers: POST /flow_runs/ (1 insert of run + state), POST /flow_runs/:id/set_state (1 insert + 1 update), GET /flow_runs/:id,
// POST /flow_runs/filter|count, POST /logs/ (one transaction a batch), POST /logs/filter, POST /work_pools/:n/get_scheduled_flow_runs, ws /events/in, POST /task_runs/count, GET /health.
import http from 'node:http';
import crypto from 'node:crypto';
import { createRequire } from 'node:module';

const arg = (k, d) => { const i = process.argv.indexOf('--' + k); return i < 0 ? d : process.argv[i + 1]; };
const mode = process.argv[2], port = Number(arg('port', 4410));
const require = createRequire((process.env.LIMIT_MODULES || import.meta.dirname) + '/x.js');
const iso = () => new Date().toISOString();
const names = ['determined-zebra', 'amber-fox', 'quick-otter'];
const details = (id) => ({ flow_run_id: id, task_run_id: null, child_flow_run_id: null, scheduled_time: null, cache_key: null, cache_expiration: null, deferred: false, untrackable_result: false, pause_timeout: null, pause_reschedule: false, pause_key: null, run_input_keyset: null, refresh_cache: null, retriable: null, transition_id: null, task_parameters_id: null, traceparent: null, deployment_concurrency_lease_id: null });
const mkState = (id, s) => ({ id: crypto.randomUUID(), type: s?.type ?? 'PENDING', name: s?.name ?? 'Pending', timestamp: iso(), message: null, data: null, state_details: details(id) });
const policy = { max_retries: 0, retry_delay_seconds: 0, retries: null, retry_delay: null, pause_keys: [], resuming: false, retry_type: null };
const mkRun = (b) => { const id = crypto.randomUUID(), t = iso(), st = mkState(id, b.state); return { id, created: t, updated: t, name: names[0], flow_id: b.flow_id, state_id: st.id, deployment_id: null, deployment_version: null, work_queue_id: null, work_queue_name: null, flow_version: null, parameters: b.parameters ?? {}, idempotency_key: null, context: {}, empirical_policy: policy, tags: b.tags ?? [], labels: { 'prefect.flow.id': b.flow_id }, parent_task_run_id: null, state_type: st.type, state_name: st.name, run_count: 0, expected_start_time: t, next_scheduled_start_time: t, start_time: null, end_time: null, total_run_time: 0, estimated_run_time: 0, estimated_start_time_delta: 0, auto_scheduled: false, infrastructure_document_id: null, infrastructure_pid: null, created_by: null, work_pool_id: null, work_pool_name: null, state: st, job_variables: {} }; };

// Row layout: scalar columns for what is filtered or sorted, the rest as the JSON text that goes out unchanged.
const DDL = `create table if not exists run(id text primary key, flow_id text, state_type text, name text, start_time text, expected text, doc text);
create index if not exists run_sx on run(state_type, expected); create index if not exists run_x on run(expected); create index if not exists run_f on run(flow_id);
create table if not exists state(id text primary key, run_id text, type text, ts text, doc text); create index if not exists state_r on state(run_id, ts);
create table if not exists log(id text primary key, run_id text, level int, ts text, name text, message text); create index if not exists log_r on log(run_id, ts);
create table if not exists task_run(id text primary key, run_id text, state_type text, ts text, doc text); create index if not exists tr_r on task_run(run_id, state_type);
create table if not exists event(id text primary key, ts text, name text, doc text);`;

function sqliteStore() {
  const { DatabaseSync } = require('node:sqlite');
  const db = new DatabaseSync(arg('db', ':memory:'));
  db.exec(`pragma journal_mode=WAL; pragma synchronous=${arg('sync', 'NORMAL')}`); db.exec(DDL);
  const p = (s) => db.prepare(s);
  const pluck = (s) => { const q = p(s); q.setReturnArrays(true); return { get: (...a) => q.get(...a)?.[0], all: (...a) => q.all(...a).map((r) => r[0]) }; };
  const begin = p('begin immediate'), commit = p('commit'), rollback = p('rollback');
  const tx = (fn) => (...a) => { begin.run(); try { fn(...a); commit.run(); } catch (e) { rollback.run(); throw e; } };
  const insRun = p('insert into run values(?,?,?,?,?,?,?)'), insState = p('insert into state values(?,?,?,?,?)'), getRun = pluck('select doc from run where id=?');
  const upd = p('update run set state_type=?, start_time=?, doc=? where id=?'), cnt = pluck('select count(*) from run');
  const insLog = p('insert into log values(?,?,?,?,?,?)'), insEv = p('insert or ignore into event values(?,?,?,?)'), upTr = p('insert into task_run values(?,?,?,?,?) on conflict(id) do update set state_type=excluded.state_type, ts=excluded.ts, doc=excluded.doc where excluded.ts>=task_run.ts');
  const trCount = pluck("select count(*) from task_run where run_id=? and state_type=?");
  const create = tx((r) => { insRun.run(r.id, r.flow_id, r.state_type, r.name, null, r.expected_start_time, JSON.stringify(r)); insState.run(r.state.id, r.id, r.state.type, r.state.timestamp, JSON.stringify(r.state)); });
  const setState = tx((id, s) => { const r = JSON.parse(getRun.get(id)); insState.run(s.id, id, s.type, s.timestamp, JSON.stringify(s)); r.state = s; r.state_id = s.id; r.state_type = s.type; r.state_name = s.name; r.updated = s.timestamp; if (s.type === 'RUNNING') { r.start_time = s.timestamp; r.run_count++; } if (s.type === 'COMPLETED') r.end_time = s.timestamp; upd.run(s.type, r.start_time, JSON.stringify(r), id); });
  const logs = tx((a) => { for (const l of a) insLog.run(crypto.randomUUID(), l.flow_run_id, l.level, l.timestamp, l.name, l.message); });
  const evs = tx((a) => { for (const e of a) { insEv.run(e.id, e.occurred, e.event, JSON.stringify(e)); const tr = e.payload?.task_run; if (tr) upTr.run(e.resource['prefect.resource.id'].slice(17), e.related[0]['prefect.resource.id'].slice(17), e.payload.validated_state.type, e.occurred, JSON.stringify(tr)); } });
  return {
    create, setState, read: (id) => getRun.get(id), logs, events: evs, close: () => db.close(),
    filter: (b) => { const any = b.flow_runs?.state?.type?.any_; const lim = b.limit ?? 200; return (any ? pluck(`select doc from run where state_type in (${any.map(() => '?').join()}) order by expected desc limit ${lim} offset ${b.offset ?? 0}`).all(any) : pluck(`select doc from run order by expected desc limit ${lim} offset ${b.offset ?? 0}`).all()); },
    count: () => cnt.get(), trCount: (run) => trCount.get(run, 'COMPLETED'),
    logFilter: (b) => p(`select id, run_id as flow_run_id, level, ts as timestamp, name, message from log where run_id=? order by ts ${b.sort?.endsWith('DESC') ? 'desc' : 'asc'} limit ${b.limit ?? 200}`).all(b.logs.flow_run_id.any_[0]),
  };
}

async function pgStore() {
  const pg = require('pg');
  const pool = new pg.Pool({ connectionString: arg('pg'), max: Number(arg('pool', 32)) });
  await pool.query(DDL);
  const tx = async (fn) => { const c = await pool.connect(); try { await c.query('begin'); const r = await fn((name, text, values) => c.query({ name, text, values })); await c.query('commit'); return r; } catch (e) { await c.query('rollback'); throw e; } finally { c.release(); } };
  const q = (name, text, values) => pool.query({ name, text, values });
  return {
    // one statement = one transaction = one round trip: the least that is durable
    create: (r) => q('cr', 'with a as (insert into run values($1,$2,$3,$4,null,$5,$6)) insert into state values($7,$1,$3,$8,$9)', [r.id, r.flow_id, r.state_type, r.name, r.expected_start_time, JSON.stringify(r), r.state.id, r.state.timestamp, JSON.stringify(r.state)]),
    setState: (id, s) => tx(async (t) => { const r = JSON.parse((await t('sel', 'select doc from run where id=$1 for update', [id])).rows[0].doc); r.state = s; r.state_id = s.id; r.state_type = s.type; r.state_name = s.name; r.updated = s.timestamp; if (s.type === 'RUNNING') { r.start_time = s.timestamp; r.run_count++; } await t('up', 'with a as (insert into state values($5,$4,$1,$6,$7)) update run set state_type=$1, start_time=$2, doc=$3 where id=$4', [s.type, r.start_time, JSON.stringify(r), id, s.id, s.timestamp, JSON.stringify(s)]); }),
    read: async (id) => (await q('rd', 'select doc from run where id=$1', [id])).rows[0]?.doc,
    logs: (a) => q('lg', 'insert into log select * from unnest($1::text[],$2::text[],$3::int[],$4::text[],$5::text[],$6::text[])', [a.map(() => crypto.randomUUID()), a.map((l) => l.flow_run_id), a.map((l) => l.level), a.map((l) => l.timestamp), a.map((l) => l.name), a.map((l) => l.message)]),
    events: (a) => { const last = new Map(); for (const e of a) if (e.payload?.task_run) last.set(e.resource['prefect.resource.id'].slice(17), e); const t = [...last.entries()]; return tx(async (x) => { await x('ev', 'insert into event select * from unnest($1::text[],$2::text[],$3::text[],$4::text[]) on conflict do nothing', [a.map((e) => e.id), a.map((e) => e.occurred), a.map((e) => e.event), a.map((e) => JSON.stringify(e))]); await x('tr', 'insert into task_run select * from unnest($1::text[],$2::text[],$3::text[],$4::text[],$5::text[]) on conflict(id) do update set state_type=excluded.state_type, ts=excluded.ts, doc=excluded.doc where excluded.ts>=task_run.ts', [t.map((k) => k[0]), t.map((k) => k[1].related[0]['prefect.resource.id'].slice(17)), t.map((k) => k[1].payload.validated_state.type), t.map((k) => k[1].occurred), t.map((k) => JSON.stringify(k[1].payload.task_run))]); }); },
    filter: async (b) => { const any = b.flow_runs?.state?.type?.any_; return (await (any ? q('f1', `select doc from run where state_type = any($1) order by expected desc limit $2 offset $3`, [any, b.limit ?? 200, b.offset ?? 0]) : q('f0', 'select doc from run order by expected desc limit $1 offset $2', [b.limit ?? 200, b.offset ?? 0]))).rows.map((r) => r.doc); },
    count: async () => Number((await q('ct', 'select count(*) n from run', [])).rows[0].n),
    trCount: async (run) => Number((await q('tc', "select count(*) n from task_run where run_id=$1 and state_type='COMPLETED'", [run])).rows[0].n),
    logFilter: async (b) => (await pool.query(`select id, run_id as flow_run_id, level, ts as timestamp, name, message from log where run_id=$1 order by ts limit ${b.limit ?? 200}`, [b.logs.flow_run_id.any_[0]])).rows,
    close: () => pool.end(),
  };
}

const store = mode === 'hello' ? null : mode === 'pg' ? await pgStore() : sqliteStore();
const ACC = { type: 'accept_details' };

// The one handler: returns [status, text]. Strings from the store go out as they are.
async function handle(method, url, body) {
  if (mode === 'hello') return [200, '{"hello":"world"}'];
  const s = url.split('/'); // ['', 'api', thing, id, verb]
  const thing = s[2];
  if (thing === 'health') return [200, 'true'];
  if (thing === 'flows') return [201, JSON.stringify({ id: crypto.randomUUID(), name: 'x' })];
  if (thing === 'flow_runs') {
    if (method === 'GET') return [200, await store.read(s[3])];
    const b = JSON.parse(body);
    if (s[3] === 'filter') return [200, '[' + (await store.filter(b)).join(',') + ']'];
    if (s[3] === 'count') return [200, String(await store.count())];
    if (s[4] === 'set_state') { const st = mkState(s[3], b.state); await store.setState(s[3], st); return [201, JSON.stringify({ state: st, status: 'ACCEPT', details: ACC })]; }
    const r = mkRun(b); await store.create(r); return [201, JSON.stringify(r)];
  }
  if (thing === 'logs') { const b = JSON.parse(body); if (s[3] === 'filter') return [200, JSON.stringify(await store.logFilter(b))]; await store.logs(b); return [201, '']; }
  if (thing === 'task_runs') { const b = JSON.parse(body); return [200, String(await store.trCount(b.flow_runs.id.any_[0]))]; }
  if (thing === 'work_pools') return [200, '[' + (await store.filter({ limit: 200 })).map((d) => `{"work_pool_id":null,"work_queue_id":null,"flow_run":${d}}`).join(',') + ']'];
  return [404, '{}'];
}

const server = http.createServer((req, res) => {
  const parts = []; req.on('data', (d) => parts.push(d));
  req.on('end', async () => {
    let out; try { out = await handle(req.method, req.url, parts.length === 1 ? parts[0].toString() : Buffer.concat(parts).toString()); } catch (e) { out = [500, JSON.stringify({ e: String(e) })]; }
    const text = out[1] ?? '{}'; res.writeHead(out[0], { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }); res.end(text);
  });
});
if (store) {
  const { WebSocketServer } = require('ws');
  const wss = new WebSocketServer({ server, path: '/api/events/in', handleProtocols: () => 'prefect', perMessageDeflate: false });
  let batch = [], busy = false;
  const flush = async () => { if (busy || !batch.length) return; busy = true; const b = batch.splice(0, 500); try { await store.events(b); } catch (e) { console.error(e); } busy = false; if (batch.length) setImmediate(flush); };
  wss.on('connection', (ws) => { let auth = false; ws.on('message', (m) => { const j = JSON.parse(m.toString()); if (!auth) { auth = true; ws.send('{"type":"auth_success"}'); return; } batch.push(j); if (batch.length === 1) setImmediate(flush); }); });
}
server.listen(port, '127.0.0.1');
server.keepAliveTimeout = 65_000;
process.on('SIGTERM', () => process.exit(0));
