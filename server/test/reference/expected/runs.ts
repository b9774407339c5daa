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
    reason: 'times inside state details are answered in UTC, where the reference repeats the offset of the client',
  },
  {
    route: /^POST \/work_(pools\/\{name\}|queues\/\{id\})\/concurrency_status$/,
    where: ({ kind, path, request }) =>
      kind === 'rows' &&
      ((path === 'queues[].flow_runs' && /"flow_run_limit":1[,}]/.test(String(request.body))) ||
        (path === 'flow_runs' && /"limit":1[,}]/.test(String(request.body)))),
    reason: 'the runs of a queue come by their ids, which each server chose: any of them may be the first',
  },
  {
    route: /flow_runs/,
    where: ({ path, reference, answers }) =>
      /(^|[\].])parameters\b/.test(path) &&
      reference.includes('__prefect_kind') &&
      answers.ours.text.includes('"auto_scheduled":true'),
    reason: 'the parameters of scheduled runs are filled in when the runs are made, as those of all others are',
  },
  {
    route: /^(POST|PUT|PATCH) \/automations\//,
    where: ({ kind, request, answers: { reference, ours } }) =>
      kind === 'status' &&
      String(request.body).includes('"run-deployment"') &&
      [reference, ours].some(({ status, text }) => status === 422 && text.includes('automation: Validation failed')) &&
      [reference, ours].some(({ status }) => status < 300),
    reason: "the job variables of an action are checked together with its deployment's, as those of the run are",
  },
  {
    route: /^POST \/work_queues\/\{id\}\/get_runs$/,
    where: ({ kind, path, reference }) =>
      kind === 'type' && /^\[\]\.work_pool_(id|name)$/.test(path) && reference === 'null',
    reason: 'the runs of a queue name their pool, as in every other answer, where the reference leaves it out here',
  },
  {
    route: /^POST \/(flow|task)_runs\/history$/,
    where: ({ kind, path, request }) =>
      kind === 'rows' && path === '[].states' && /"history_start":"[^"]*\.(?!0+")\d+/.test(String(request.body)),
    reason:
      'a run belongs to the interval that holds its time, where the reference, on SQLite, passes over fractions of a second at its ends',
  },
  {
    route: /^POST \/ui\/flows\/next-runs$/,
    where: ({ kind, path, answers }) => (kind === 'id' || kind === 'name') && isDueAtOnce(path, answers),
    reason: 'of runs of a flow that are due at the same time, either may be told as the next one',
  },
  {
    route: /^\w+ \/work_queues\/|\/queues/,
    where: ({ kind, reference, ours }) => kind === 'updated' && isPolledAgain(reference, ours),
    reason: 'a poll within five seconds after another one is not noted, where the reference notes each',
  },
  {
    route: /^\w+ \/work_queues\/|\/queues|work_queue_check$/,
    where: ({ path, reference, ours, answers }) =>
      /(^|\.)status$/.test(path) && reference === 'READY' && ours === 'NOT_READY' && wereOncePolled(answers),
    reason: 'what nobody polls any more is not ready at once, where a service of the reference finds out later',
  },
  {
    route: /^(GET \/work_pools\/\{name\}|POST \/work_pools\/filter)$/,
    where: ({ path, reference, ours }) =>
      /(^|\[\]\.)status$/.test(path) && reference === 'READY' && ours === 'NOT_READY',
    reason:
      'a pool whose workers missed their heartbeats is not ready at once, where a service of the reference finds out',
  },
  {
    route: /workers\/filter$/,
    where: ({ kind, path, reference, ours, request, answers }) =>
      (path === '[].status' && reference === 'ONLINE' && ours === 'OFFLINE') ||
      (kind === 'length' &&
        String(request.body).includes('"status"') &&
        [answers.reference, answers.ours].some(({ text }) => text.includes('"heartbeat_interval_seconds":0,'))),
    reason: 'a worker is offline as soon as it missed its heartbeats, where a service of the reference finds out later',
  },
  {
    route: /\/deployments\//,
    where: ({ path, reference }) => /(^|schedules)\[\]\.max_scheduled_runs$/.test(path) && reference === 'null',
    reason: 'max_scheduled_runs of schedules that are given with their deployment is kept',
  },
  {
    route: /\/deployments\//,
    where: ({ kind, path }) => kind === 'extra key' && /(^|schedules)\[\]\.parameters\b/.test(path),
    reason: 'parameters of a schedule stay when a change does not name them',
  },
  {
    route: /(create_flow_run|^POST \/(flow|task)_runs\/)$/,
    where: ({ kind }) => kind === 'time notation',
    reason: 'a new run is answered with its times in UTC at once, as it is whenever it is read',
  },
  {
    route: /bulk$/,
    where: ({ path, answers }) =>
      path.startsWith('results[]') && answers.reference.text.includes("Can't operate on closed transaction"),
    reason: 'one run that is refused does not take those after it along',
  },
  {
    route: /^GET \/task_run_states\/$/,
    where: ({ kind, answers }) => kind === 'length' && isLongerByStatesOfOneInstant(answers),
    reason: 'states that a client reports of the same instant are all kept, where the reference keeps the first',
  },
  {
    route: /^(POST \/events\/filter|GET \/events\/filter\/next)$/,
    where: ({ path, answers, request }) =>
      (path.startsWith('events[].related') && repeatsWhatWasRelated(answers)) ||
      (ofPages.test(path) && asksForWhatRunsName(request) && untoldEvents(answers)?.length === 0),
    reason:
      "a run's event names what is related to it then, where the reference repeats for minutes what it told first",
  },
  {
    route: /^(POST \/events\/filter|GET \/events\/filter\/next)$/,
    where: ({ path, answers }) => {
      const untold = untoldEvents(answers) ?? [];
      return ofPages.test(path) && untold.length > 0 && untold.every((event) => event.endsWith('.created'));
    },
    reason: 'an object that was made and then refused with the rest of a request is not told of as created',
  },
  {
    route: /^(POST \/events\/filter|GET \/events\/filter\/next)$/,
    where: ({ path, answers }) => ofPages.test(path) && tellsOnlyOfLastChanges(answers),
    reason:
      'a change is told of that is served where the reference fails (500); the comparison then deletes the object',
  },
  {
    route: /^POST \/events\/count-by\/\{countable\}$/,
    where: ({ kind, path, request }) => kind === 'text' && path === '[].label' && request.path.endsWith('/resource'),
    reason: 'a resource is called as in its latest event; of several at that instant each server takes another',
  },
  {
    route: /^POST \/ui\/task_runs\/dashboard\/counts$/,
    where: ({ kind, path, answers }) => kind === 'value' && path.startsWith('[].') && countTheSame(answers),
    reason: 'a task run that ended at the border of two intervals is counted by the clock of its server',
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
