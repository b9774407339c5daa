import { inNoOrder, withoutFaultsAt, withoutFaultsThat } from './faults.ts';
import type { ExpectedDifference, Finding } from './finding.ts';

const INPUT_KEY = 'Input key must only contain';
/** The position of an error in the labels of a trigger. */
const ofLabels = /"match(_related)?"/;
/** A pattern with letters that SQLite does not fold. */
const LIKE_BEYOND_ASCII = /"like_":"[^"]*[^ -~]/;

/** Expected differences in how requests are read, refused or served. */
export const expectedOfRequests: readonly ExpectedDifference[] = [
  {
    route: /./,
    where: statuses((reference, ours) => reference === 500 && ours >= 400 && ours < 500),
    told: {
      routes: [],
      request:
        'Bad input on which the reference fails, such as `NaN` in a body, or an unknown work pool in `PATCH /deployments/{id}`.',
      reference: 'Answers 500.',
      ours: 'Refuses it with a 4xx status and names the fault.',
    },
  },
  {
    route: /./,
    where: statuses((reference, ours) => reference === 500 && ours >= 200 && ours < 300),
    told: {
      routes: [],
      request:
        'A valid request on which the reference fails, such as `GET /flow_runs/{id}/graph-v2?since=2026-01-01`, or half of a surrogate pair in `parameters`.',
      reference: 'Answers 500.',
      ours: 'Serves the request.',
    },
  },
  {
    route: /./,
    where: (finding) =>
      statuses((reference, ours) => reference === 405 && ours === 200)(finding) &&
      finding.request.method === 'GET' &&
      /^\/\w+\/$/.test(finding.request.path),
    told: {
      routes: ['GET /{collection}/'],
      request: 'A GET of a collection that clients list by POST, such as `GET /flows/`.',
      reference: 'Answers 405.',
      ours: 'Answers 200 with one page of the list.',
    },
  },
  {
    route: /bulk/,
    where: ({ answers }) =>
      [answers.reference, answers.ours].some(({ text }) =>
        text.includes('(sqlite3.OperationalError) database is locked'),
      ),
    told: {
      routes: ['POST /deployments/{id}/create_flow_run/bulk', 'POST /flow_runs/bulk_set_state'],
      request: 'A bulk request while the SQLite file of the reference is locked.',
      reference: 'Fails an item with `database is locked`.',
      ours: 'Serves every item.',
    },
  },
  {
    route: /\/filter$/,
    where: ({ kind, request, reference, ours }) =>
      kind === 'length' &&
      Number.parseInt(ours, 10) > Number.parseInt(reference, 10) &&
      LIKE_BEYOND_ASCII.test(String(request.body)),
    told: {
      routes: ['POST /{collection}/filter'],
      request: 'Letters beyond ASCII in `like_`, such as `FLØW`.',
      reference: 'Ignores the case of such letters on PostgreSQL, but not on SQLite.',
      ours: 'Does as the reference does on each database. The comparison runs the reference on SQLite, and Signalbox on either.',
    },
  },
  {
    route: /./,
    where: isSameNumber,
    told: {
      routes: [
        'POST /variables/',
        'POST /artifacts/',
        'POST /flow_runs/{id}/set_state',
        'POST /task_runs/{id}/set_state',
      ],
      request:
        'A variable, an artifact or the data of a state that is a bare number, such as `1.0` or `12345678901234567890`.',
      reference: 'Lets SQLite convert the number, and answers `1` and `1.2345678901234567e+19`.',
      ours: 'Keeps every digit, and answers `1.0` and `12345678901234567890`.',
    },
  },
  {
    route: /^(POST|PATCH) \/flow_runs\/|create_flow_run(\/bulk)?$/,
    where: ({ kind, reference, ours }) =>
      kind.startsWith('validation') &&
      reference !== ours &&
      withoutFaultsThat('"int_from_float"', reference, /"empirical_policy","retry_delay"/) ===
        withoutFaultsThat('must be a whole number of seconds', ours, /"empirical_policy"/),
    told: {
      routes: [
        'POST /flow_runs/',
        'PATCH /flow_runs/{id}',
        'POST /deployments/{id}/create_flow_run',
        'POST /deployments/{id}/create_flow_run/bulk',
      ],
      request: 'A fraction in `retry_delay_seconds`, such as 2.5.',
      reference: 'Copies the value to `retry_delay`, and answers 422 with a fault of that field.',
      ours: 'Answers 422 and says that the retry delay must be a whole number of seconds.',
    },
  },
  {
    route: /^PATCH \/flow_runs\/\{id\}$|create_flow_run(\/bulk)?$|^POST \/(flow|task)_runs\/$/,
    where: ({ kind, reference, ours }) =>
      kind === 'validation' && withoutFaultsAt(/"empirical_policy","retr(ies|y_delay)"/, reference) === ours,
    told: {
      routes: [
        'POST /flow_runs/',
        'PATCH /flow_runs/{id}',
        'POST /task_runs/',
        'POST /deployments/{id}/create_flow_run',
        'POST /deployments/{id}/create_flow_run/bulk',
      ],
      request: 'A wrong value in `max_retries` or `retry_delay_seconds`, the old names of `retries` and `retry_delay`.',
      reference: 'Answers 422 with faults under the old name and under the new one.',
      ours: 'Answers 422 with faults under the name in the request only.',
    },
  },
  {
    route: /^(PATCH|POST) \/block_documents\//,
    where: ({ path, reference }) =>
      path === 'detail' && reference.includes('validation error for BlockDocumentReferenceCreate'),
    told: {
      routes: ['POST /block_documents/', 'PATCH /block_documents/{id}'],
      request: 'A `block_document_id` in the data that is not a UUID.',
      reference: 'Answers 400 with the text of its validation library.',
      ours: 'Answers 400 with a sentence that names the key.',
    },
  },
  {
    route: /^(PATCH|POST) \/block_documents\//,
    where: ({ kind, answers }) =>
      ['validation', 'text', 'type', 'value'].includes(kind) && answers.ours.text.includes('"request_body":"********"'),
    told: {
      routes: ['POST /block_documents/', 'PATCH /block_documents/{id}'],
      request: 'A body that is refused with 422.',
      reference: 'Repeats the body in the answer.',
      ours: 'Answers `********` in place of the body and of the values in the faults.',
      why: 'A block may hold secrets.',
    },
  },
  {
    route: /^POST \/flow_runs\/\{id\}\/input$/,
    where: ({ kind, reference, ours }) =>
      kind === 'validation' && ours.includes(INPUT_KEY) && withoutFaultsThat(INPUT_KEY, ours) === reference,
    told: {
      routes: ['POST /flow_runs/{id}/input'],
      request: 'A `key` with characters other than lower-case letters, digits and dashes.',
      reference: 'Does not check the key with the body: it answers the other faults, and 500 when there are none.',
      ours: 'Answers 422 with the rule for the key, beside the other faults.',
    },
  },
  {
    route: /^(POST|PATCH) \/work_pools\//,
    where: ({ kind, reference, ours }) => kind === 'validation' && inNoOrder(reference) === inNoOrder(ours),
    told: {
      routes: ['POST /work_pools/', 'PATCH /work_pools/{name}'],
      request: 'A `base_job_template` that uses several undeclared variables.',
      reference: 'Answers 422 and names the variables in any order.',
      ours: 'Answers 422 and names the variables in the order of the template.',
    },
  },
  {
    route: /set_state$/,
    where: ({ kind, path, answers }) =>
      (kind === 'status' || (kind === 'type' && path === 'state')) &&
      answers.reference.text.includes('Error validating state: 1 validation error for Artifact'),
    told: {
      routes: ['POST /flow_runs/{id}/set_state', 'POST /task_runs/{id}/set_state'],
      request:
        'A state whose data has an `artifact_key`, `artifact_type` or `artifact_description` that is not a text.',
      reference: 'Answers ABORT, with null in `state`.',
      ours: 'Answers ABORT for the same reason, with the current state of the run in `state`.',
    },
  },
  {
    route: /^GET \/admin\/settings$/,
    where: ({ kind }) => ['text', 'value', 'type', 'length', 'number kind'].includes(kind),
    told: {
      routes: ['GET /admin/settings'],
      request: 'Any request.',
      reference: 'Answers its own settings.',
      ours: 'Answers its own settings, under the same names.',
    },
  },
  {
    route: /^(POST|PUT) \/automations\//,
    where: ({ kind, reference, ours }) =>
      kind === 'validation' && reference.replaceAll(/Posture\.(\w+)/g, "'$1'") === ours,
    told: {
      routes: ['POST /automations/', 'PUT /automations/{id}'],
      request: 'An unknown `posture` in a trigger.',
      reference: 'Answers 422 with `Input should be Posture.Reactive or Posture.Proactive`.',
      ours: "Answers 422 with `Input should be 'Reactive' or 'Proactive'`.",
      why: 'The message lists the values that a client can send.',
    },
  },
  {
    route: /^(POST|PUT) \/automations\//,
    where: ({ kind, reference, ours }) =>
      kind === 'validation' &&
      ofLabels.test(reference) &&
      ofLabels.test(ours) &&
      withoutFaultsAt(ofLabels, reference) === withoutFaultsAt(ofLabels, ours),
    told: {
      routes: ['POST /automations/', 'PUT /automations/{id}'],
      request: 'Wrong labels in `match` or `match_related` of a trigger.',
      reference: 'Answers 422 with the faults for one of the forms that labels may have.',
      ours: 'Answers 422 with the faults for each form, and names the form in the position of the fault.',
      why: 'Both servers report other fields with several forms in this way.',
    },
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
