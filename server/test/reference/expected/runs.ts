import { EMBEDDED } from '../compare/times.ts';
import { isParsedObject, type Parsed, printJson, readJson } from '../wire/json-text.ts';
import type { ExpectedDifference, Finding } from './finding.ts';

/** Fields of an answer that depend on the number of events. */
const ofPages = /^(total|next_page|events)$/;

/** How long a queue is ready after it was polled. */
const READY_SECONDS = 60;

/** A poll this soon after a recorded one is not recorded; the servers are asked some milliseconds apart. */
const POLL_RESOLUTION_SECONDS = 5.5;

/** Expected differences in runs, their states and events, and the pools and queues they run on. */
export const expectedOfRuns: readonly ExpectedDifference[] = [
  {
    route: /./,
    where: ({ kind, path }) => kind === 'time notation' && /(^|\.)state_details\.\w+$/.test(path),
    told: {
      routes: [],
      request: 'A time with an offset in `state_details`, from a client or from the time zone of a schedule.',
      reference: 'Answers it with the offset.',
      ours: 'Answers it in UTC, as it answers all other times.',
    },
  },
  {
    route: /^POST \/work_(pools\/\{name\}|queues\/\{id\})\/concurrency_status$/,
    where: ({ kind, path, request }) =>
      kind === 'rows' &&
      ((path === 'queues[].flow_runs' && /"flow_run_limit":1[,}]/.test(String(request.body))) ||
        (path === 'flow_runs' && /"limit":1[,}]/.test(String(request.body)))),
    told: {
      routes: ['POST /work_pools/{name}/concurrency_status', 'POST /work_queues/{id}/concurrency_status'],
      request: 'A `flow_run_limit` or a `limit` of 1.',
      reference: 'Answers the run with the lowest id. Runs that clients create have random ids.',
      ours: 'Answers the run with the lowest id. Ids are in the order of creation.',
    },
  },
  {
    route: /flow_runs/,
    where: ({ path, reference, answers }) =>
      /(^|[\].])parameters\b/.test(path) &&
      reference.includes('__prefect_kind') &&
      answers.ours.text.includes('"auto_scheduled":true'),
    told: {
      routes: ['GET /flow_runs/{id}', 'POST /flow_runs/filter'],
      request:
        'A run of a schedule, with placeholders (`__prefect_kind`) in the parameters of its deployment or schedule.',
      reference: 'Leaves the placeholders in the parameters of the run.',
      ours: 'Replaces them by their values when it creates the run, as both servers do for other runs.',
    },
  },
  {
    route: /^(POST|PUT|PATCH) \/automations\//,
    where: ({ kind, request, answers: { reference, ours } }) =>
      kind === 'status' &&
      String(request.body).includes('"run-deployment"') &&
      [reference, ours].some(({ status, text }) => status === 422 && text.includes('automation: Validation failed')) &&
      [reference, ours].some(({ status }) => status < 300),
    told: {
      routes: ['POST /automations/', 'PUT /automations/{id}', 'PATCH /automations/{id}'],
      request: 'A `run-deployment` action with `job_variables`.',
      reference: 'Checks the variables of the action without those of the deployment.',
      ours: 'Checks them together, as both servers do when they create a run.',
    },
  },
  {
    route: /^POST \/work_queues\/\{id\}\/get_runs$/,
    where: ({ kind, path, reference }) =>
      kind === 'type' && /^\[\]\.work_pool_(id|name)$/.test(path) && reference === 'null',
    told: {
      routes: ['POST /work_queues/{id}/get_runs'],
      request: 'A queue of a work pool.',
      reference: 'Answers null in `work_pool_id` and `work_pool_name` of the runs.',
      ours: 'Answers the pool of the runs, as both servers do on other routes.',
    },
  },
  {
    route: /^POST \/(flow|task)_runs\/history$/,
    where: ({ kind, path, request }) =>
      kind === 'length' && path === '[].states' && /"history_start":"[^"]*\.(?!0+")\d+/.test(String(request.body)),
    told: {
      routes: ['POST /flow_runs/history', 'POST /task_runs/history'],
      request: 'A `history_start` with a fraction of a second, and a run just before the end of an interval.',
      reference: 'Rounds to milliseconds on SQLite, and may count the run in the next interval.',
      ours: 'Counts the run in the interval of its time.',
    },
  },
  {
    route: /^POST \/ui\/flows\/next-runs$/,
    where: ({ kind, path, answers }) => (kind === 'id' || kind === 'name') && isDueAtOnce(path, answers),
    told: {
      routes: ['POST /ui/flows/next-runs'],
      request: 'A flow with several runs that are due at the same time.',
      reference: 'Answers any of them.',
      ours: 'Answers the one with the lowest id.',
    },
  },
  {
    route: /^\w+ \/work_queues\/|\/queues/,
    where: ({ kind, reference, ours }) => kind === 'updated' && isPolledAgain(reference, ours),
    told: {
      routes: ['GET /work_queues/{id}', 'POST /work_queues/filter', 'POST /work_pools/{work_pool_name}/queues/filter'],
      request: 'A queue that workers poll within five seconds after another poll.',
      reference: 'Records each poll in `last_polled` and `updated`.',
      ours: 'Does not record the second poll.',
      why: 'Most polls then write nothing.',
    },
  },
  {
    route: /^\w+ \/work_queues\/|\/queues|work_queue_check$/,
    where: ({ path, reference, ours, answers }) =>
      /(^|\.)status$/.test(path) && reference === 'READY' && ours === 'NOT_READY' && wereOncePolled(answers),
    told: {
      routes: ['GET /work_queues/{id}', 'POST /work_queues/filter', 'GET /deployments/{id}/work_queue_check'],
      request: 'A queue whose last poll is more than 60 seconds ago.',
      reference: 'Answers READY until a service changes the status. The service runs every 15 seconds.',
      ours: 'Answers NOT_READY at once.',
    },
  },
  {
    route: /^(GET \/work_pools\/\{name\}|POST \/work_pools\/filter)$/,
    where: ({ path, reference, ours }) =>
      /(^|\[\]\.)status$/.test(path) && reference === 'READY' && ours === 'NOT_READY',
    told: {
      routes: ['GET /work_pools/{name}', 'POST /work_pools/filter'],
      request: 'A work pool whose workers have all missed their heartbeats.',
      reference: 'Answers READY until a service changes the status. The service runs every 15 seconds.',
      ours: 'Answers NOT_READY at once.',
    },
  },
  {
    route: /workers\/filter$/,
    where: ({ kind, path, reference, ours, request, answers }) =>
      (path === '[].status' && reference === 'ONLINE' && ours === 'OFFLINE') ||
      (kind === 'length' &&
        String(request.body).includes('"status"') &&
        [answers.reference, answers.ours].some(({ text }) => text.includes('"heartbeat_interval_seconds":0,'))),
    told: {
      routes: ['POST /work_pools/{work_pool_name}/workers/filter'],
      request: 'A worker that has missed its heartbeats.',
      reference: 'Answers ONLINE until a service changes the status. The service runs every 15 seconds.',
      ours: 'Answers OFFLINE at once.',
    },
  },
  {
    route: /\/deployments\//,
    where: ({ path, reference }) => /(^|schedules)\[\]\.max_scheduled_runs$/.test(path) && reference === 'null',
    told: {
      routes: ['POST /deployments/', 'PATCH /deployments/{id}'],
      request: 'A schedule in the body with `max_scheduled_runs`.',
      reference: 'Drops the value and answers null.',
      ours: 'Keeps the value.',
    },
  },
  {
    route: /\/deployments\//,
    where: ({ kind, path }) => kind === 'extra key' && /(^|schedules)\[\]\.parameters\b/.test(path),
    told: {
      routes: ['PATCH /deployments/{id}/schedules/{schedule_id}', 'PATCH /deployments/{id}'],
      request: 'A change of a schedule without `parameters`.',
      reference: 'Empties the parameters of the schedule.',
      ours: 'Keeps the parameters of the schedule.',
    },
  },
  {
    route: /(create_flow_run|^POST \/(flow|task)_runs\/)$/,
    where: ({ kind }) => kind === 'time notation',
    told: {
      routes: ['POST /flow_runs/', 'POST /task_runs/', 'POST /deployments/{id}/create_flow_run'],
      request: 'A time with an offset, such as the `scheduled_time` of the first state.',
      reference: 'Answers the times of the new run with the offset. It answers UTC when the run is read later.',
      ours: 'Answers UTC at once.',
    },
  },
  {
    route: /bulk$/,
    where: ({ path, answers }) =>
      path.startsWith('results[]') && answers.reference.text.includes("Can't operate on closed transaction"),
    told: {
      routes: ['POST /deployments/{id}/create_flow_run/bulk'],
      request: 'Several runs, of which the database refuses one.',
      reference: 'Fails that run and those after it, and undoes those before it.',
      ours: 'Fails that run only.',
    },
  },
  {
    route: /^GET \/task_run_states\/$/,
    where: ({ kind, answers }) => kind === 'length' && isLongerByStatesOfOneInstant(answers),
    told: {
      routes: ['GET /task_run_states/'],
      request: 'Two states of a task run with the same timestamp that a client reported.',
      reference: 'Keeps the first state.',
      ours: 'Keeps both states.',
    },
  },
  {
    route: /^(POST \/events\/filter|GET \/events\/filter\/next)$/,
    where: ({ path, answers, request }) =>
      (path.startsWith('events[].related') && repeatsWhatWasRelated(answers)) ||
      (ofPages.test(path) && asksForWhatRunsName(request) && untoldEvents(answers)?.length === 0),
    told: {
      routes: ['POST /events/filter', 'GET /events/filter/next'],
      request: 'Events of a flow run whose tags, queue or other related objects have changed.',
      reference: 'Repeats the related objects of an earlier event for up to five minutes.',
      ours: 'Names the related objects at the time of the event.',
    },
  },
  {
    route: /^(POST \/events\/filter|GET \/events\/filter\/next)$/,
    where: ({ path, answers }) => {
      const untold = untoldEvents(answers) ?? [];
      return ofPages.test(path) && untold.length > 0 && untold.every((event) => event.endsWith('.created'));
    },
    told: {
      routes: ['POST /events/filter', 'GET /events/filter/next'],
      request:
        'An object that a request creates before it is refused, such as the work queue in a refused change of a deployment.',
      reference: 'Lists a `created` event of the object, which does not exist.',
      ours: 'Lists no event.',
    },
  },
  {
    route: /^(POST \/events\/filter|GET \/events\/filter\/next)$/,
    where: ({ path, answers }) => ofPages.test(path) && tellsOnlyOfLastChanges(answers),
    told: {
      routes: ['POST /events/filter', 'GET /events/filter/next'],
      request: 'An object after a change on which the reference fails (500).',
      reference: 'Lists no event of the change.',
      ours: 'Serves the change and lists its `updated` event.',
    },
  },
  {
    route: /^POST \/events\/count-by\/\{countable\}$/,
    where: ({ kind, path, request }) => kind === 'text' && path === '[].label' && request.path.endsWith('/resource'),
    told: {
      routes: ['POST /events/count-by/{countable}'],
      request: 'A count by `resource`, with a resource that has several names in events of the same time.',
      reference: 'Takes any of the names.',
      ours: 'Takes the name of the event with the highest id.',
    },
  },
  {
    route: /^POST \/ui\/task_runs\/dashboard\/counts$/,
    where: ({ kind, path, answers }) => kind === 'value' && path.startsWith('[].') && countTheSame(answers),
    told: {
      routes: ['POST /ui/task_runs/dashboard/counts'],
      request: 'A task run that started near the border of two of the 20 intervals.',
      reference: 'Extends the span to whole minutes, which moves the borders.',
      ours: 'Divides the span from `after_` to `before_` as it is. The sums of the intervals are equal on both servers.',
    },
  },
];

/** True when some queue that is not ready here was polled long ago, and none of them recently. */
function wereOncePolled({ ours }: Finding['answers']): boolean {
  const body = readJson(ours.text);
  const queues = (Array.isArray(body) ? body : [body]).filter(isParsedObject);
  const polls = queues.flatMap(({ status, last_polled }) =>
    status === 'NOT_READY' && typeof last_polled === 'string' ? [Date.parse(last_polled)] : [],
  );
  // The header has a resolution of one second, rounded down.
  const now = Date.parse(String(ours.headers.date)) + 1000;
  return polls.length > 0 && polls.every((polled) => polled <= now - READY_SECONDS * 1000);
}

/**
 * True where related resources differ only in events of runs for which the reference repeats those of an earlier event.
 */
function repeatsWhatWasRelated({ reference, ours }: Finding['answers']): boolean {
  const [there, here] = [reference, ours].map(({ text }) => eventsIn(readJson(text)));
  if (!there || !here || there.length !== here.length) return false;
  return there.every((event, index) => {
    const earlier = there
      .slice(0, index)
      .concat(there.slice(index + 1))
      .filter(({ about }) => about === event.about);
    return event.related === here[index]?.related || earlier.some(({ related }) => related === event.related);
  });
}

/**
 * True for a list of events about an object that events of runs name as related, and for a later page, whose filter is
 * unknown.
 */
function asksForWhatRunsName({ method, body }: Finding['request']): boolean {
  return method === 'GET' || /"any_resource":\{"id":\["prefect\.(flow|deployment|work-pool)\./.test(String(body));
}

/** The names of events that only the reference lists, without those of runs; undefined when only ours lists some. */
function untoldEvents({ reference, ours }: Finding['answers']): string[] | undefined {
  const [untold = [], told = []] = [reference, ours].map(({ text }) =>
    eventsIn(readJson(text))
      .filter(({ about }) => !about.startsWith('prefect.flow-run.'))
      .map(({ name }) => name),
  );
  for (const name of told) {
    const index = untold.indexOf(name);
    if (index < 0) return undefined;
    untold.splice(index, 1);
  }
  return untold;
}

/** True when Signalbox lists more events, and each additional one is an update of an object that was deleted next. */
function tellsOnlyOfLastChanges({ reference, ours }: Finding['answers']): boolean {
  const [there, here] = [reference, ours].map(({ text }) => eventsIn(readJson(text)));
  const isLast = ({ name, about }: { name: string; about: string }, index: number) =>
    name.endsWith('.updated') &&
    here?.slice(index + 1).find((next) => next.about === about)?.name === name.replace(/updated$/, 'deleted');
  const extra = (here ?? []).filter(isLast).length;
  return extra > 0 && (here ?? []).length === (there ?? []).length + extra;
}

/** The name, resource and related resources of each event of a page, in words that are the same for both servers. */
function eventsIn(page: Parsed): { name: string; about: string; related: string }[] {
  const events = isParsedObject(page) && Array.isArray(page.events) ? page.events.filter(isParsedObject) : [];
  return events.map(({ event, resource, related }) => ({
    name: String(event),
    about: isParsedObject(resource) ? String(resource['prefect.resource.id']) : '',
    related: (Array.isArray(related) ? related.filter(isParsedObject) : [])
      .map((one) => String(one['prefect.resource.name'] ?? one['prefect.resource.id']).replace(EMBEDDED, ''))
      .join('\n'),
  }));
}

function isLongerByStatesOfOneInstant({ reference, ours }: Finding['answers']): boolean {
  const [there, here] = [reference, ours].map(({ text }) => {
    const states = readJson(text);
    return Array.isArray(states) ? states.filter(isParsedObject).map(({ timestamp }) => String(timestamp)) : [];
  });
  return (here ?? []).length > (there ?? []).length && new Set(here).size === there?.length;
}

/** True when the intervals add up to the same number of task runs of each kind. */
function countTheSame({ reference, ours }: Finding['answers']): boolean {
  const [there, here] = [reference, ours].map(({ text }) => {
    const intervals = readJson(text);
    const rows = Array.isArray(intervals) ? intervals.filter(isParsedObject) : [];
    return ['completed', 'failed'].map((kind) =>
      rows.reduce((sum, row) => sum + Number(printJson(row[kind] ?? null)), 0),
    );
  });
  return String(there) === String(here);
}

function isPolledAgain(reference: string, ours: string): boolean {
  const [later = 0, earlier = 0] = [reference, ours].map((text) => Date.parse(/\d{4}-\S+Z/.exec(text)?.[0] ?? ''));
  return later > earlier && later - earlier < POLL_RESOLUTION_SECONDS * 1000;
}

/** True when both return a run for the flow that the path begins with, and both runs are due at one time. */
function isDueAtOnce(path: string, { reference, ours }: Finding['answers']): boolean {
  const [there, here] = [readJson(reference.text), readJson(ours.text)];
  if (!isParsedObject(there) || !isParsedObject(here)) return false;
  // Flows have other ids on the other server, but are listed in the requested order.
  const place = Object.keys(there).indexOf(path.split('.')[0] as string);
  const [run, other] = [Object.values(there)[place], Object.values(here)[place]];
  if (!isParsedObject(run) || !isParsedObject(other)) return false;
  const [due, dueHere] = [run.next_scheduled_start_time, other.next_scheduled_start_time];
  return typeof due === 'string' && due === dueHere;
}
