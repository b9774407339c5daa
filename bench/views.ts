/**
 * Measures what the pages of the dashboard ask a running server that `bench/seed.ts` has filled: each question of the
 * home page, of the list of runs with every filter and span that the page offers, of a run, and of the other lists.
 *
 *   node bench/seed.ts --database-url sqlite:/path/signalbox.db --runs 1000000
 *   npm start -- --database-url sqlite:/path/signalbox.db
 *   node bench/views.ts --url http://127.0.0.1:4200
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:4200' },
    rounds: { type: 'string', default: '5' },
    /** Only questions whose name contains it. */
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
/** No answer should take longer. */
const MOST_MILLISECONDS = 200;
const INTERVALS = 60;
const spans = { '1h': 3600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const now = Date.now();

interface Run {
  readonly id: string;
}

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const init = body
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : {};
  const answer = await fetch(`${values.url}/api${path}`, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

let slow = 0;
/** The first answer warms the caches and does not count. */
async function measure(name: string, path: string, body?: object): Promise<void> {
  if (!name.includes(values.only)) return;
  const took: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    await ask(path, body);
    if (round > 0) took.push(performance.now() - began);
  }
  took.sort((left, right) => left - right);
  const median = took[Math.floor(took.length / 2)] ?? 0;
  if (median > MOST_MILLISECONDS) slow++;
  const mark = median > MOST_MILLISECONDS ? '!' : ' ';
  console.log(`${mark} ${name.padEnd(32)} median ${median.toFixed(0).padStart(5)} ms, best ${took[0]?.toFixed(0)} ms`);
}

/** The filters of the list of runs, as its page sends them. */
function runFilters(flow: string, start_time: object): Record<string, object> {
  const own = (more: object) => ({ flow_runs: { start_time, ...more } });
  const state = (more: object) => own({ state: { operator: 'or_', ...more } });
  const flows = { name: { any_: [flow] } };
  return {
    all: own({}),
    failed: state({ type: { any_: ['FAILED', 'CRASHED'] } }),
    completed: state({ type: { any_: ['COMPLETED'] } }),
    'rare state': state({ type: { any_: ['PAUSED'] } }),
    late: state({ name: { any_: ['Late'] } }),
    flow: { ...own({}), flows },
    'flow, failed': { ...state({ type: { any_: ['FAILED'] } }), flows },
    'tag of all': own({ tags: { all_: ['loadlab'] } }),
    'two tags': own({ tags: { all_: ['loadlab', 'odd'] } }),
    'tag of none': own({ tags: { all_: ['none'] } }),
    'part of a name': own({ name: { like_: 'brave' } }),
    'name of none': own({ name: { like_: 'zzqq' } }),
  };
}

const [flow] = await ask<{ id: string; name: string }[]>('/flows/filter', { limit: 1 });
if (!flow) throw new Error('The server has no flow: fill it with bench/seed.ts first.');
const count = await ask<number>('/flow_runs/count', {});
console.log(`${count.toLocaleString('en')} runs; load ${loadavg()[0]?.toFixed(1)} before`);

for (const seconds of [spans['1h'], spans['24h'], spans['7d']]) {
  await measure(`home, ${seconds / 3600} h`, `/views/home?seconds=${seconds}`);
}
for (const [span, seconds] of Object.entries(spans)) {
  const [start, end] = [iso(now - seconds * 1000), iso(now + seconds * 25)];
  const history = { start, end, intervals: INTERVALS };
  for (const [name, filters] of Object.entries(runFilters(flow.name, { after_: start, before_: end }))) {
    await measure(`runs, ${span}, ${name}`, '/views/runs', { ...filters, limit: 100, history });
  }
  const times = { expected_start_time: { after_: start, before_: end } };
  const task_runs = { task_runs: times, sort: 'EXPECTED_START_TIME_DESC', limit: 100 };
  await measure(`task runs, ${span}`, '/task_runs/filter', task_runs);
}
const sorts = ['START_TIME_ASC', 'NAME_ASC', 'NAME_DESC', 'RUN_TIME_ASC', 'RUN_TIME_DESC', 'STATE_ASC', 'STATE_DESC'];
for (const span of ['1h', '24h', '30d'] as const) {
  const filters = runFilters(flow.name, {
    after_: iso(now - spans[span] * 1000),
    before_: iso(now + spans[span] * 25),
  });
  for (const sort of sorts) {
    for (const name of ['all', 'failed', 'part of a name']) {
      await measure(`sorted, ${span}, ${sort}, ${name}`, '/views/runs', { ...filters[name], sort, limit: 100 });
    }
  }
}
const ended = { flow_runs: { state: { type: { any_: ['FAILED'] } } }, limit: 1 };
const { runs } = await ask<{ runs: Run[] }>('/views/runs', ended);
const id = runs[0]?.id ?? '';
const deep = { start: iso(now - 20 * 86_400_000), id };
await measure('runs, far down', '/views/runs', { limit: 100, after: deep });
await measure('flow run that failed', `/views/flow_runs/${id}`);
await measure('timeline', `/views/flow_runs/${id}/timeline`);
await measure('logs', '/logs/filter', { logs: { flow_run_id: { any_: [id] } }, limit: 200 });
await measure('search', '/views/search?q=brave');
await measure('flows', '/views/flows', { limit: 100 });
await measure('flow', `/views/flows/${flow.id}`);
await measure('deployments', '/views/deployments', { limit: 100 });
await measure('schedule', '/views/schedule?days=7');
await measure('work pools', '/views/work_pools');
await measure('artifacts', '/views/artifacts', { limit: 100 });
await measure('events', '/events/filter', { limit: 50 });
console.log(`${slow} above ${MOST_MILLISECONDS} ms; load ${loadavg()[0]?.toFixed(1)} after`);
