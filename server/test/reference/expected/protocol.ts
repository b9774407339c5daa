import { isUtf8 } from 'node:buffer';
import { isParsedObject, type Parsed, readJson } from '../wire/json-text.ts';
import { isOnlyFault, repeats, withoutFaultsAt, withoutFaultsThat } from './faults.ts';
import type { ExpectedDifference, Told } from './finding.ts';

const NAME_REFUSED = 'Deployment name must not contain';
/** The position of an error in the labels of a trigger. */
const ofLabels = /"match(_related)?"/;
/** The reference fails on this schema. */
const METASCHEMA_FAULT = /Failed validating '\w+' in metaschema/;
/** The reference also fails on a placeholder whose `__prefect_kind` is not a text. */
const KIND_FAULT = /^unhashable type: '(dict|list)'$/;
const NUL_REFUSED = 'text must not contain NUL characters';
const oddPath: Told = {
  routes: ['GET /flows/name/{name}'],
  request: 'A path that cannot be decoded (`%`, `%ff`), or that has a NUL character (`%00`).',
  reference: 'Looks for the name, and answers 404 with `Flow not found`.',
  ours: 'Answers 404 with `Not Found`, as for an unknown path.',
};

const changedBody: Told = {
  routes: [],
  request:
    'A refused body that the checks of the reference have changed, such as a deployment without `parameters` or a trigger without `within`.',
  reference: 'Repeats the changed body in the answer, and reports the faults of the changed body.',
  ours: 'Repeats the body as it was sent, and reports the faults of that body.',
};

/** Expected differences in addresses, sockets, bodies and repeated input. */
export const expectedOfProtocol: readonly ExpectedDifference[] = [
  {
    route: /protocol: paths/,
    where: ({ path, ours, request }) => path === 'detail' && ours === 'Not Found' && !isDecodable(request.path),
    told: oddPath,
  },
  {
    route: /^POST \/deployments\/$/,
    where: ({ kind, ours, answers }) =>
      (kind.startsWith('validation') && ours.includes(NAME_REFUSED)) ||
      (kind === 'status' && answers.reference.status === 404 && isOnlyFault(NAME_REFUSED, answers.ours)),
    told: {
      routes: ['POST /deployments/'],
      request: 'A `name` with one of the characters `/`, `%`, `&`, `>` and `<`.',
      reference: 'Does not check the name with the body: it answers the other faults, and 500 when there are none.',
      ours: 'Answers 422 with the rule for the name, beside the other faults.',
    },
  },
  {
    route: /^(POST|PATCH) \/deployments\//,
    where: ({ kind, reference }) =>
      kind.startsWith('validation') && reference.includes("should match pattern 'Africa/"),
    told: {
      routes: [
        'POST /deployments/',
        'PATCH /deployments/{id}',
        'POST /deployments/{id}/schedules',
        'PATCH /deployments/{id}/schedules/{schedule_id}',
      ],
      request: 'A schedule with an unknown time zone.',
      reference: 'Answers 422 with the names of the 600 zones that it knows.',
      ours: 'Answers 422 and names the unknown zone.',
    },
  },
  {
    route: /^POST \/deployments\/\{id\}\/schedule$/,
    where: ({ kind, reference }) => kind === 'validation' && reference.includes('"datetime'),
    told: {
      routes: ['POST /deployments/{id}/schedule'],
      request: 'A `start_time` or `end_time` that is not a time.',
      reference: 'Answers 422 in other words than on its other routes, such as `Input should be a valid datetime`.',
      ours: 'Answers 422 in the words of the other routes, such as `value is not a valid datetime`.',
    },
  },
  {
    route: /^GET \/flow_runs\/\{id\}\/graph-v2$/,
    where: ({ kind, reference }) => kind === 'validation' && reference.includes('"datetime_from_date_parsing"'),
    told: {
      routes: ['GET /flow_runs/{id}/graph-v2'],
      request: 'A `since` that is not a time.',
      reference:
        'Answers 422 in other words than on its other routes, such as `Input should be a valid datetime or date, input is too short`.',
      ours: 'Answers 422 in the words of the other routes, such as `Unable to parse string []`.',
    },
  },
  {
    route: /protocol: websockets/,
    where: ({ reference, ours, request }) =>
      /\/events\/in/.test(request.path) && ours.endsWith('open') && reference === ours.replace(/open$/, 'closed 1006'),
    told: {
      routes: ['WS /events/in'],
      request: 'A frame that is not a valid event.',
      reference: 'Ends the connection without a close code (1006).',
      ours: 'Drops the event and keeps the connection open.',
    },
  },
  {
    route: /protocol: websockets/,
    where: ({ reference, ours }) => {
      const told = ours.replace(/closed (1002|1008|1011) .*$/s, '');
      return told !== ours && reference === `${told}closed 1006`;
    },
    told: {
      routes: ['WS /events/in', 'WS /events/out'],
      request: 'A first frame that is not JSON, or a filter with an unknown criterion.',
      reference: 'Ends the connection without a close code (1006).',
      ours: 'Closes the connection with a code (1002, 1008 or 1011) and a reason.',
    },
  },
  {
    route: /protocol: raw bodies/,
    where: ({ kind, request, answers }) =>
      kind === 'status' &&
      answers.ours.text.includes('There was an error parsing the body') &&
      request.body instanceof Uint8Array &&
      !isUtf8(request.body),
    told: {
      routes: [],
      request: 'A body in UTF-16.',
      reference: 'Reads the body.',
      ours: 'Refuses it with 400.',
      why: 'RFC 8259 requires UTF-8 for JSON between systems.',
    },
  },
  {
    route: /^(POST|PUT|PATCH) |protocol: raw bodies/,
    where: ({ kind, answers, request }) =>
      answers.ours.text.includes('"int_parsing_size"') &&
      ((kind === 'status' && /^20[01]$/.test(String(answers.reference.status))) ||
        kind === 'validation' ||
        answers.reference.text === '{"detail":"Slots requested is greater than the limit"}') &&
      /\d{19}/.test(String(request.body)),
    told: {
      routes: [],
      request: 'A whole number of 2^53 or more in a field that holds a number, such as `offset`, `limit` or `slots`.',
      reference: 'Accepts the number, or refuses it by another rule, such as the largest `limit`.',
      ours: 'Refuses it with 422 (`int_parsing_size`).',
      why: 'A number in JavaScript is exact below 2^53 only.',
    },
  },
  {
    route: /./,
    where: ({ kind, reference, ours, answers }) =>
      (kind === 'status' && answers.ours.text.includes(NUL_REFUSED)) ||
      (kind === 'validation' && ours.includes(NUL_REFUSED) && withoutFaultsThat(NUL_REFUSED, ours) === reference),
    told: {
      routes: [],
      request: 'A NUL character (`\\u0000`) in a name, a label or a filter.',
      reference: 'Accepts the character.',
      ours: 'Refuses it with 422. It removes the character from the messages of logs, and keeps it in open JSON such as `parameters`.',
      why: 'A text in PostgreSQL cannot have a NUL character.',
    },
  },
  {
    route: /bulk$/,
    where: ({ path, reference }) => path.endsWith('.error') && reference.includes('(sqlite3.IntegrityError)'),
    told: {
      routes: ['POST /deployments/{id}/create_flow_run/bulk'],
      request: 'A run that refers to a missing object, such as its parent task run.',
      reference: 'Reports the SQL statement as the error of the run.',
      ours: 'Reports a data integrity conflict as the error of the run, without SQL.',
    },
  },
  {
    route: /create_flow_run\/bulk$/,
    where: ({ path, reference, answers }) =>
      METASCHEMA_FAULT.test(answers.reference.text) &&
      ((path === 'results[].flow_run_id' && reference === 'null') ||
        (path === 'results[].status' && reference === 'FAILED') ||
        (path === 'results[].error' && METASCHEMA_FAULT.test(reference))),
    told: {
      routes: ['POST /deployments/{id}/create_flow_run/bulk'],
      request: 'A run whose parameters are checked against a stored schema that is not valid JSON Schema.',
      reference: 'Fails the run with the error of its schema library.',
      ours: 'Applies the valid parts of the schema, and creates the run when its parameters fit them.',
    },
  },
  {
    route: /create_flow_run\/bulk$/,
    where: ({ path, reference, request, answers }) =>
      /"__prefect_kind":[{[]/.test(String(request.body)) &&
      /"unhashable type: /.test(answers.reference.text) &&
      ((path === 'results[].flow_run_id' && reference === 'null') ||
        (path === 'results[].status' && reference === 'FAILED') ||
        (path === 'results[].error' && KIND_FAULT.test(reference))),
    told: {
      routes: ['POST /deployments/{id}/create_flow_run/bulk'],
      request: 'A parameter whose `__prefect_kind` is a list or an object.',
      reference: 'Fails the run with `unhashable type`.',
      ours: 'Reads it as an unknown kind, whose value is the `value` beside it, or null.',
    },
  },
  {
    route: /^POST \/deployments\/$/,
    where: ({ kind, reference }) =>
      kind === 'validation' &&
      /^"value_error" at \["body"\]: "Value error, (Validation failed|The provided schema|A deployment cannot)/.test(
        reference,
      ),
    told: {
      routes: ['POST /deployments/'],
      request:
        'A body with faults in fields, and with fields that do not fit each other, such as parameters and their schema.',
      reference: 'Answers 422 with the fault between the fields only.',
      ours: 'Answers 422 with the faults in fields. It compares fields when these have no faults.',
    },
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
    told: {
      routes: ['PATCH /deployments/{id}'],
      request:
        'A `parameter_openapi_schema` whose `required` is not a list of different texts, for a deployment that enforces its schema.',
      reference: 'Accepts the schema. A run of the deployment then fails.',
      ours: 'Refuses the schema with 422.',
    },
  },
  {
    route: /./,
    where: ({ path, answers, requestToUs }) =>
      /^(request_body|exception_detail\[\]\.input\b)/.test(path) && repeats(answers.ours, requestToUs),
    told: changedBody,
  },
  {
    route: /protocol: paths/,
    where: ({ path, ours, request }) => path === 'detail' && ours === 'Not Found' && request.path.includes('%00'),
    told: oddPath,
  },
  {
    route: /^(POST|PUT) \/automations\//,
    where: ({ kind, reference, ours, answers }) =>
      kind === 'validation' &&
      /"within":10\.0/.test(answers.reference.text) &&
      ofLabels.test(reference) === ofLabels.test(ours) &&
      withoutFaultsAt(ofLabels, reference) ===
        withoutFaultsThat('"missing"', withoutFaultsAt(ofLabels, ours), /"within"\]/),
    told: changedBody,
  },
  {
    route: /protocol: values/,
    where: ({ kind, reference, answers, request }) =>
      kind === 'status' &&
      reference === '201' &&
      answers.ours.text.includes('"finite_number"') &&
      String(request.body).includes('1e400'),
    told: {
      routes: ['POST /flow_runs/'],
      request: 'A label with a number beyond the range of a float, such as `1e400`.',
      reference: 'Accepts the label and answers null.',
      ours: 'Refuses the label with 422.',
    },
  },
  {
    route: /^POST \/automations\/(filter|count)$/,
    where: ({ request }) => joinsNoTags(readJson(String(request.body))),
    told: {
      routes: ['POST /automations/filter', 'POST /automations/count'],
      request: 'An empty `all_` in `tags` with `"operator": "or_"`.',
      reference: 'Matches every automation.',
      ours: 'Ignores the empty list, as both servers do in filters of other objects.',
    },
  },
  {
    route: /\/block_documents\//,
    where: ({ kind, path, reference, ours }) =>
      kind === 'type' && /(^|\.)data\./.test(path) && reference.startsWith('{') && ours === '"********"',
    told: {
      routes: ['POST /block_documents/', 'GET /block_documents/{id}', 'POST /block_documents/filter'],
      request: 'A secret field of a block with an object as its value.',
      reference: 'Shows the object.',
      ours: 'Shows `********`.',
    },
  },
];

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
