import { isUtf8 } from 'node:buffer';
import { isParsedObject, type Parsed, readJson } from '../wire/json-text.ts';
import { inNoOrder, isOnlyFault, repeats, withoutFaultsAt, withoutFaultsThat } from './faults.ts';
import type { ExpectedDifference, Finding } from './finding.ts';

const INPUT_KEY = 'Input key must only contain';
const NAME_REFUSED = 'Deployment name must not contain';
/** The position of an error in the labels of a trigger. */
const ofLabels = /"match(_related)?"/;
/** The reference fails on this schema. */
const METASCHEMA_FAULT = /Failed validating '\w+' in metaschema/;
/** The reference also fails on a placeholder whose `__prefect_kind` is not a text. */
const KIND_FAULT = /^unhashable type: '(dict|list)'$/;
/** A pattern with letters that SQLite does not fold. */
const LIKE_BEYOND_ASCII = /"like_":"[^"]*[^ -~]/;
const NUL_REFUSED = 'text must not contain NUL characters';

/** Expected differences in how requests are read, refused or served. */
export const expectedOfRequests: readonly ExpectedDifference[] = [
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
    route: /\/filter$/,
    where: ({ kind, request, reference, ours }) =>
      kind === 'length' &&
      Number.parseInt(ours, 10) > Number.parseInt(reference, 10) &&
      LIKE_BEYOND_ASCII.test(String(request.body)),
    reason: 'PostgreSQL knows the case of all letters for like_, and SQLite that of ASCII, for the reference too',
  },
  {
    route: /./,
    where: isSameNumber,
    reason: 'a bare number keeps its kind and its digits',
  },
  {
    route: /^(POST|PATCH) \/flow_runs\/|create_flow_run(\/bulk)?$/,
    where: ({ kind, reference, ours }) =>
      kind.startsWith('validation') &&
      reference !== ours &&
      withoutFaultsThat('"int_from_float"', reference, /"empirical_policy","retry_delay"/) ===
        withoutFaultsThat('must be a whole number of seconds', ours, /"empirical_policy"/),
    reason: 'a fractional retry delay is refused as such, where the reference names a field that was not given',
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
    route: /^POST \/flow_runs\/\{id\}\/input$/,
    where: ({ kind, reference, ours }) =>
      kind === 'validation' && ours.includes(INPUT_KEY) && withoutFaultsThat(INPUT_KEY, ours) === reference,
    reason: 'a key that no input can have is refused with the rest, where the reference fails (500) later',
  },
  {
    route: /^(POST|PATCH) \/work_pools\//,
    where: ({ kind, reference, ours }) => kind === 'validation' && inNoOrder(reference) === inNoOrder(ours),
    reason: 'undeclared variables are named as they stand in the template, where the reference names them in any order',
  },
  {
    route: /templates\/validate$/,
    where: ({ kind, ours }) => kind === 'header' && ours === 'application/json; charset=utf-8',
    reason: 'the answer names its character set',
  },
  {
    route: /set_state$/,
    where: ({ kind, path, answers }) =>
      (kind === 'status' || (kind === 'type' && path === 'state')) &&
      answers.reference.text.includes('Error validating state: 1 validation error for Artifact'),
    reason: 'a result is kept without an artifact name that is no text, where the reference refuses the state',
  },
  {
    route: /^GET \/admin\/settings$/,
    where: ({ kind }) => ['text', 'value', 'type', 'length', 'number kind'].includes(kind),
    reason: 'each server tells its own settings, under the same names',
  },
  {
    route: /^(POST|PUT) \/automations\//,
    where: ({ kind, reference, ours }) =>
      kind === 'validation' && reference.replaceAll(/Posture\.(\w+)/g, "'$1'") === ours,
    reason: 'a wrong posture is told the words that it may be, and not how the reference calls them',
  },
  {
    route: /^(POST|PUT) \/automations\//,
    where: ({ kind, reference, ours }) =>
      kind === 'validation' &&
      ofLabels.test(reference) &&
      ofLabels.test(ours) &&
      withoutFaultsAt(ofLabels, reference) === withoutFaultsAt(ofLabels, ours),
    reason: 'wrong labels of a trigger are told for each form that they may have, as those of other unions are',
  },
  {
    route: /protocol: paths/,
    where: ({ path, ours, request }) => path === 'detail' && ours === 'Not Found' && !isDecodable(request.path),
    reason: 'a path that cannot be decoded, or holds a NUL character, names nothing',
  },
  {
    route: /^POST \/deployments\/$/,
    where: ({ kind, ours, answers }) =>
      (kind.startsWith('validation') && ours.includes(NAME_REFUSED)) ||
      (kind === 'status' && answers.reference.status === 404 && isOnlyFault(NAME_REFUSED, answers.ours)),
    reason: 'a name that does not fit a URL is refused with the rest, where the reference fails (500) later',
  },
  {
    route: /^(POST|PATCH) \/deployments\//,
    where: ({ kind, reference }) =>
      kind.startsWith('validation') && reference.includes("should match pattern 'Africa/"),
    reason: 'an unknown time zone is named, where the reference lists the 600 that it knows',
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
    where: ({ reference, ours, request }) =>
      /\/events\/in/.test(request.path) && ours.endsWith('open') && reference === ours.replace(/open$/, 'closed 1006'),
    reason: 'an event that is refused is dropped and its socket stays open, where the reference breaks it off (1006)',
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
    route: /^(POST|PUT|PATCH) |protocol: raw bodies/,
    where: ({ kind, answers, request }) =>
      answers.ours.text.includes('"int_parsing_size"') &&
      ((kind === 'status' && /^20[01]$/.test(String(answers.reference.status))) ||
        kind === 'validation' ||
        answers.reference.text === '{"detail":"Slots requested is greater than the limit"}') &&
      /\d{19}/.test(String(request.body)),
    reason: 'a whole number above 2^53 is refused where a number is counted with',
  },
  {
    route: /./,
    where: ({ kind, reference, ours, answers }) =>
      (kind === 'status' && answers.ours.text.includes(NUL_REFUSED)) ||
      (kind === 'validation' && ours.includes(NUL_REFUSED) && withoutFaultsThat(NUL_REFUSED, ours) === reference),
    reason: 'a NUL character, which PostgreSQL cannot keep, is refused in every text',
  },
  {
    route: /bulk$/,
    where: ({ path, reference }) => path.endsWith('.error') && reference.includes('(sqlite3.IntegrityError)'),
    reason: 'what is missing is told without the SQL that found out',
  },
  {
    route: /create_flow_run\/bulk$/,
    where: ({ path, reference, answers }) =>
      METASCHEMA_FAULT.test(answers.reference.text) &&
      ((path === 'results[].flow_run_id' && reference === 'null') ||
        (path === 'results[].status' && reference === 'FAILED') ||
        (path === 'results[].error' && METASCHEMA_FAULT.test(reference))),
    reason: 'a schema that is broken in what it is not asked for is applied, where the reference fails',
  },
  {
    route: /create_flow_run\/bulk$/,
    where: ({ path, reference, request, answers }) =>
      /"__prefect_kind":[{[]/.test(String(request.body)) &&
      /"unhashable type: /.test(answers.reference.text) &&
      ((path === 'results[].flow_run_id' && reference === 'null') ||
        (path === 'results[].status' && reference === 'FAILED') ||
        (path === 'results[].error' && KIND_FAULT.test(reference))),
    reason:
      'a placeholder of a kind that is no text is read as one of a kind that is not known, where the reference fails',
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
    route: /^PATCH \/deployments\/\{id\}$/,
    where: ({ kind, reference, answers: { ours } }) =>
      kind === 'status' &&
      (reference === '204' || reference === '409') &&
      ours.status === 422 &&
      /is not a valid json schema\. Schema error: .* (of type '(string|array)'|has non-unique elements)"/.test(
        ours.text,
      ),
    reason: 'a schema whose required is broken is refused at once, where the reference looks at it when a run is made',
  },
  {
    route: /./,
    where: ({ path, answers, requestToUs }) =>
      /^(request_body|exception_detail\[\]\.input\b)/.test(path) && repeats(answers.ours, requestToUs),
    reason: 'a refused request is repeated as it was sent, not as the reference had already changed it',
  },
  {
    route: /protocol: paths/,
    where: ({ path, ours, request }) => path === 'detail' && ours === 'Not Found' && request.path.includes('%00'),
    reason: 'a path with a NUL character names nothing',
  },
  {
    route: /^(POST|PUT) \/automations\//,
    where: ({ kind, reference, ours, answers }) =>
      kind === 'validation' &&
      /"within":10\.0/.test(answers.reference.text) &&
      ofLabels.test(reference) === ofLabels.test(ours) &&
      withoutFaultsAt(ofLabels, reference) ===
        withoutFaultsThat('"missing"', withoutFaultsAt(ofLabels, ours), /"within"\]/),
    reason: 'a refused request is repeated as it was sent, not as the reference had already changed it',
  },
  {
    route: /protocol: values/,
    where: ({ kind, reference, answers, request }) =>
      kind === 'status' &&
      reference === '201' &&
      answers.ours.text.includes('"finite_number"') &&
      String(request.body).includes('1e400'),
    reason: 'a number that overflows is refused as a label, where the reference answers null in its place',
  },
  {
    route: /^POST \/automations\/(filter|count)$/,
    where: ({ request }) => joinsNoTags(readJson(String(request.body))),
    reason: 'all_ without tags asks nothing, also where conditions are joined with or_, as for all other objects',
  },
  {
    route: /\/block_documents\//,
    where: ({ kind, path, reference, ours }) =>
      kind === 'type' && /(^|\.)data\./.test(path) && reference.startsWith('{') && ours === '"********"',
    reason: 'a secret that is an object is hidden as well',
  },
];

function statuses(where: (reference: number, ours: number) => boolean): ExpectedDifference['where'] {
  return ({ kind, answers }) => kind === 'status' && where(answers.reference.status, answers.ours.status);
}

/** SQLite gives a bare number in a JSON column numeric affinity: the reference reads `1.0` back as `1`. */
function isSameNumber({ kind, path, reference, ours }: Finding): boolean {
  const isBare = /^(results)?(\[\]\.)?((state\.)?data|value)$|^events\[\]\.payload\.(data|value)$/.test(path);
  return isBare && (kind === 'number kind' || kind === 'value') && Number(reference) === Number(ours);
}

function isDecodable(path: string): boolean {
  try {
    return !decodeURI(path).includes('\0');
  } catch {
    return false;
  }
}

/** True for a filter of automations that asks for no tags or for another property of them. */
function joinsNoTags(body: Parsed): boolean {
  const tags = isParsedObject(body) && isParsedObject(body.automations) ? body.automations.tags : undefined;
  return isParsedObject(tags) && Array.isArray(tags.all_) && tags.all_.length === 0 && tags.operator === 'or_';
}
