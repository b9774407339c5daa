import { isUtf8 } from 'node:buffer';
import type { Difference } from './compare/difference.ts';
import type { Answer, Request } from './wire/http-client.ts';
import { isParsedObject, type Parsed, readJson } from './wire/json-text.ts';

/** A difference with what led to it. */
export interface Finding extends Difference {
  /** `POST /flows/filter` */
  readonly route: string;
  /** As it was sent to the reference. */
  readonly request: Request;
  readonly answers: { readonly reference: Answer; readonly ours: Answer };
}

export interface ExpectedDifference {
  readonly route: RegExp;
  readonly where: (finding: Finding) => boolean;
  /** Why the difference is meant, as a sentence of the report. */
  readonly reason: string;
}

/** Where Signalbox answers otherwise on purpose. Everything else that differs is a fault of one of the two. */
export const expectedDifferences: readonly ExpectedDifference[] = [
  {
    route: /./,
    where: statuses((reference, ours) => reference === 500 && ours >= 400 && ours < 500),
    reason: 'bad input is refused where the reference fails (500)',
  },
  {
    route: /./,
    where: statuses((reference, ours) => reference === 500 && ours >= 200 && ours < 300),
    reason: 'a request is served where the reference fails (500)',
  },
  {
    route: /./,
    where: (finding) =>
      statuses((reference, ours) => reference === 405 && ours === 200)(finding) &&
      finding.request.method === 'GET' &&
      /^\/\w+\/$/.test(finding.request.path),
    reason: 'a collection answers its list to a GET',
  },
  {
    route: /bulk/,
    where: ({ answers }) =>
      [answers.reference, answers.ours].some(({ text }) =>
        text.includes('(sqlite3.OperationalError) database is locked'),
      ),
    reason: "the reference's SQLite file was locked",
  },
  {
    route: /./,
    where: isSameNumber,
    reason: 'a bare number keeps its kind and its digits',
  },
  {
    route: /./,
    where: ({ kind }) => kind === 'time notation',
    reason: 'times inside state details are answered in UTC, where the reference repeats the offset of the client',
  },
  {
    route: /./,
    where: ({ request }) => String(request.body ?? '').includes('"retry_delay_seconds":2.5'),
    reason: 'a fractional retry delay is refused under the name that the client gave',
  },
  {
    route: /^PATCH \/flow_runs\/\{id\}$|create_flow_run(\/bulk)?$|^POST \/(flow|task)_runs\/$/,
    where: ({ kind, reference, ours }) =>
      kind === 'validation' && withoutFaultsAt(/"empirical_policy","retr(ies|y_delay)"/, reference) === ours,
    reason: 'a wrong value under an old name of a retry setting is refused once, under the name that the client gave',
  },
  {
    route: /^(PATCH|POST) \/block_documents\//,
    where: ({ path, reference }) =>
      path === 'detail' && reference.includes('validation error for BlockDocumentReferenceCreate'),
    reason: 'a reference to a block that is no id is told in a sentence',
  },
  {
    route: /^(PATCH|POST) \/block_documents\//,
    where: ({ kind, answers }) =>
      ['validation', 'text', 'type', 'value'].includes(kind) && answers.ours.text.includes('"request_body":"********"'),
    reason: 'a refused block is not repeated: it may hold secrets',
  },
  {
    route: /^POST \/concurrency_limits\/(in|de)crement$/,
    where: ({ kind, reference, ours, request }) =>
      kind === 'status' && reference === '423' && ours === '200' && namesTwice(readJson(String(request.body))),
    reason: 'a tag that is named twice takes one slot, where the reference finds its limit full',
  },
  {
    route: /\/v2\/concurrency_limits\//,
    where: ({ kind, path, answers }) =>
      (kind === 'updated' || (kind === 'time' && path.endsWith('updated'))) &&
      answers.reference.text.includes('"name":"deployment:'),
    reason: 'giving back a slot that was never taken, when a run is deleted, does not touch the limit',
  },
  {
    route: /templates\/validate$/,
    where: ({ kind, ours }) => kind === 'header' && ours === 'application/json; charset=utf-8',
    reason: 'the answer names its character set',
  },
  {
    route: /set_state$/,
    where: ({ kind, answers }) =>
      kind === 'status' && answers.reference.text.includes('Error validating state: 1 validation error for Artifact'),
    reason: 'a result is kept without an artifact name that is no text, where the reference refuses the state',
  },
  {
    route: /^POST \/concurrency_limits\/filter$/,
    where: ({ kind, request }) => kind === 'length' && /"(offset|limit)":[1-9]/.test(String(request.body)),
    reason: 'limits of tags are paged, where the reference takes them out of a page of all limits',
  },
  {
    route: /^GET \/admin\/settings$/,
    where: ({ kind }) => ['text', 'value', 'type', 'length', 'number kind'].includes(kind),
    reason: 'each server tells its own settings, under the same names',
  },
  {
    route: /\/(work_pools|work_queues)\/|work_queue_check$/,
    where: ({ path, reference, ours }) => /(^|\.)status$/.test(path) && reference === 'READY' && ours === 'NOT_READY',
    reason: 'what nobody polls any more is not ready at once, where a service of the reference finds out later',
  },
  {
    route: /workers\/filter$/,
    where: ({ path, reference, ours }) => path === '[].status' && reference === 'ONLINE' && ours === 'OFFLINE',
    reason: 'a worker is offline as soon as it missed its heartbeats, where a service of the reference finds out later',
  },
  {
    route: /^(POST|PUT) \/automations\//,
    where: ({ kind, reference, ours }) =>
      kind === 'validation' && reference.replaceAll(/Posture\.(\w+)/g, "'$1'") === ours,
    reason: 'a wrong posture is told the words that it may be, and not how the reference calls them',
  },
  {
    route: /^(POST|PUT) \/automations\//,
    where: ({ kind, reference, ours }) => {
      const at = /"match(_related)?"/;
      const [restOfReference, restOfOurs] = [withoutFaultsAt(at, reference), withoutFaultsAt(at, ours)];
      return kind === 'validation' && restOfReference === restOfOurs && at.test(reference) && at.test(ours);
    },
    reason: 'wrong labels of a trigger are told for each form that they may have, as those of other unions are',
  },
  {
    route: /protocol: paths/,
    where: ({ path, ours, request }) => path === 'detail' && ours === 'Not Found' && !isDecodable(request.path),
    reason: 'a path that cannot be decoded, or holds a NUL character, names nothing',
  },
  {
    route: /^POST /,
    where: ({ request }) => filtersStateTwice(readJson(String(request.body))),
    reason: 'a state filter with any_ and not_any_ applies both, where the reference applies neither',
  },
  {
    route: /^POST \/deployments\/$/,
    where: ({ kind, ours }) => kind.startsWith('validation') && ours.includes('Deployment name must not contain'),
    reason: 'a name that does not fit a URL is refused with the rest, where the reference fails (500) later',
  },
  {
    route: /^(POST|PATCH) \/deployments\//,
    where: ({ kind, reference }) =>
      kind.startsWith('validation') && reference.includes("should match pattern 'Africa/"),
    reason: 'an unknown time zone is named, where the reference lists the 600 that it knows',
  },
  {
    route: /\/deployments\//,
    where: ({ path, reference }) => path.endsWith('schedules[].max_scheduled_runs') && reference === 'null',
    reason: 'max_scheduled_runs of schedules that are given with their deployment is kept',
  },
  {
    route: /\/deployments\//,
    where: ({ kind, path }) => kind === 'extra key' && /(^|schedules)\[\]\.parameters\b/.test(path),
    reason: 'parameters of a schedule stay when a change does not name them',
  },
  {
    route: /^POST \/deployments\/\{id\}\/schedule$/,
    where: ({ kind, reference }) => kind === 'validation' && reference.includes('"datetime'),
    reason: 'the times of this route, which no client calls, are read and refused as all others are',
  },
  {
    route: /^GET \/flow_runs\/\{id\}\/graph-v2$/,
    where: ({ kind, reference }) => kind === 'validation' && reference.includes('"datetime_from_date_parsing"'),
    reason: 'a time that cannot be read is refused in the words that all other routes have for it',
  },
  {
    route: /protocol: websockets/,
    where: ({ reference, ours }) => {
      const told = ours.replace(/closed (1002|1008|1011) .*$/s, '');
      return told !== ours && reference === `${told}closed 1006`;
    },
    reason:
      'a conversation that cannot go on is closed with a code and a reason, where the reference breaks it off (1006)',
  },
  {
    route: /protocol: raw bodies/,
    where: ({ kind, request, answers }) =>
      kind === 'status' &&
      answers.ours.text.includes('There was an error parsing the body') &&
      request.body instanceof Uint8Array &&
      !isUtf8(request.body),
    reason: 'a body in UTF-16 is refused: JSON is UTF-8',
  },
  {
    route: /protocol: raw bodies/,
    where: ({ kind, reference, answers }) =>
      kind === 'status' && reference === '200' && answers.ours.text.includes('"type":"int_parsing_size"'),
    reason: 'a whole number above 2^53 is refused where a number is counted with',
  },
  {
    route: /^POST /,
    where: ({ kind, reference, ours, request }) =>
      kind === 'validation' &&
      reference.includes('"less_than_equal"') &&
      ours.includes('"int_parsing_size"') &&
      String(request.body).includes('18446744073709551615'),
    reason: 'a whole number above 2^53 is refused where a number is counted with',
  },
  {
    route: /./,
    where: ({ kind, answers }) =>
      kind === 'status' && answers.ours.text.includes('text must not contain NUL characters'),
    reason: 'a NUL character, which PostgreSQL cannot keep, is refused in every text',
  },
  {
    route: /(create_flow_run|^POST \/flow_runs\/)$/,
    where: ({ kind }) => kind === 'time notation',
    reason: 'a new run is answered with its times in UTC at once, as it is whenever it is read',
  },
  {
    route: /(create_flow_run(\/bulk)?|^POST \/flow_runs\/)$/,
    where: ({ kind, reference }) => kind.startsWith('validation') && reference.includes('int_from_float'),
    reason: 'a fraction of a second as retry delay is refused where it stands',
  },
  {
    route: /bulk$/,
    where: ({ path, reference }) => path.endsWith('.error') && reference.includes('(sqlite3.IntegrityError)'),
    reason: 'what is missing is told without the SQL that found out',
  },
  {
    route: /\/deployments\//,
    where: ({ kind, path }) =>
      (kind === 'time' && path.endsWith('global_concurrency_limit.updated')) ||
      (kind === 'updated' && path.endsWith('global_concurrency_limit')),
    reason: 'giving back a slot that was never taken, when a run is deleted, does not touch the limit',
  },
  {
    route: /^POST \/deployments\/$/,
    where: ({ kind, reference }) =>
      kind === 'validation' &&
      /^"value_error" at \["body"\]: "Value error, (Validation failed|The provided schema|A deployment cannot)/.test(
        reference,
      ),
    reason: 'what parts of a body say together is checked after each part, where the reference stops at it',
  },
  {
    route: /bulk$/,
    where: ({ path, answers }) =>
      path.startsWith('results[]') && answers.reference.text.includes("Can't operate on closed transaction"),
    reason: 'one run that is refused does not take those after it along',
  },
  {
    route: /./,
    where: ({ kind, path }) => /^(request_body|exception_detail\[\]\.input\b)/.test(path) && kind !== 'status',
    reason: 'a refused request is repeated as it was sent, not as the reference had already changed it',
  },
  {
    route: /^POST \/v2\/concurrency_limits\/filter$/,
    where: ({ kind, answers }) => kind === 'length' && isLongerByLimitsOfDeployments(answers),
    reason: 'the limits of deployments go when their flow takes them along',
  },
  {
    route: /^GET \/v2\/concurrency_limits\//,
    where: ({ kind, path, answers }) =>
      (kind === 'updated' || (kind === 'time' && path === 'updated')) &&
      answers.reference.text.includes('"slot_decay_per_second":100000.0'),
    reason: 'the end of a lease whose slots came back by themselves does not touch the limit',
  },
  {
    route: /^GET \/flow_runs\/\{id\}$/,
    where: ({ answers }) => {
      const run = readJson(answers.reference.text);
      return isParsedObject(run) && isParsedObject(run.state) && run.state_type !== run.state.type;
    },
    reason: 'a state whose artifact is refused is not written, where the reference writes it into half of the columns',
  },
  {
    route: /protocol: paths/,
    where: ({ path, ours, request }) => path === 'detail' && ours === 'Not Found' && request.path.includes('%00'),
    reason: 'a path with a NUL character names nothing',
  },
];

function statuses(where: (reference: number, ours: number) => boolean): ExpectedDifference['where'] {
  return ({ kind, answers }) => kind === 'status' && where(answers.reference.status, answers.ours.status);
}

/** SQLite gives a bare number in a JSON column numeric affinity: the reference reads `1.0` back as `1`. */
function isSameNumber({ kind, path, reference, ours }: Finding): boolean {
  const isBare = /(^|\.|\[\])(value|data)$/.test(path);
  return isBare && (kind === 'number kind' || kind === 'value') && Number(reference) === Number(ours);
}

/** The faults of a 422, as the comparison prints them, without those at some place. */
function withoutFaultsAt(place: RegExp, faults: string): string {
  return faults
    .split(/; (?=")/)
    .filter((fault) => !place.test(/ at (\[.*?\]): /.exec(fault)?.[1] ?? ''))
    .join('; ');
}

function isDecodable(path: string): boolean {
  try {
    return !decodeURI(path).includes('\0');
  } catch {
    return false;
  }
}

/** True when the lists differ in nothing but limits of deployments that only the reference has. */
function isLongerByLimitsOfDeployments({ reference, ours }: Finding['answers']): boolean {
  const [there, here] = [reference, ours].map(({ text }) => {
    const limits = readJson(text);
    const names = Array.isArray(limits) ? limits.map((limit) => (isParsedObject(limit) ? String(limit.name) : '')) : [];
    return Object.groupBy(names, (name) => (name.startsWith('deployment:') ? 'ofDeployments' : 'others'));
  });
  const isLonger = (there?.ofDeployments ?? []).length > (here?.ofDeployments ?? []).length;
  return isLonger && String(there?.others) === String(here?.others);
}

function namesTwice(body: Parsed): boolean {
  const names = isParsedObject(body) && Array.isArray(body.names) ? body.names : [];
  return new Set(names).size < names.length;
}

function filtersStateTwice(body: Parsed): boolean {
  const filter = isParsedObject(body) && isParsedObject(body.flow_runs) ? body.flow_runs.state : undefined;
  if (!isParsedObject(filter)) return false;
  return [filter.type, filter.name].some((one) => isParsedObject(one) && 'any_' in one && 'not_any_' in one);
}

/** The first entry that explains the finding. */
export function explain(finding: Finding): ExpectedDifference | undefined {
  return expectedDifferences.find((entry) => entry.route.test(finding.route) && entry.where(finding));
}
