import { slotsKeptByLimitsThatAreOff } from '../slots.ts';
import { isParsedObject, type Parsed, readJson } from '../wire/json-text.ts';
import type { ExpectedDifference, Finding, Told } from './finding.ts';

const slotNotTaken: Told = {
  routes: ['DELETE /flow_runs/{id}', 'POST /flow_runs/bulk_delete', 'POST /flow_runs/{id}/set_state'],
  request:
    'A pending, running or cancelling run without a slot of its deployment, when it is deleted or leaves these states.',
  reference: 'Releases a slot of the limit that the run did not take, and changes `updated` of the limit.',
  ours: 'Leaves the limit as it is.',
};

/** Expected differences in concurrency limits and their slots. */
export const expectedOfLimits: readonly ExpectedDifference[] = [
  {
    route: /^POST \/concurrency_limits\/(in|de)crement$/,
    where: ({ kind, reference, ours, request }) =>
      kind === 'status' && reference === '423' && ours === '200' && namesTwice(readJson(String(request.body))),
    told: {
      routes: ['POST /concurrency_limits/increment'],
      request: 'A tag that `names` has twice.',
      reference: 'Answers 423, also when slots are free.',
      ours: 'Takes one slot for the tag.',
    },
  },
  {
    route: /\/v2\/concurrency_limits\//,
    where: ({ kind, path, answers }) =>
      (kind === 'updated' || (kind === 'time' && path.endsWith('updated'))) &&
      answers.reference.text.includes('"name":"deployment:'),
    told: slotNotTaken,
  },
  {
    route: /^POST \/concurrency_limits\/filter$/,
    where: ({ kind, request }) => kind === 'length' && /"(offset|limit)":([1-9]|true)/.test(String(request.body)),
    told: {
      routes: ['POST /concurrency_limits/filter'],
      request: 'A `limit` or an `offset`.',
      reference: 'Takes a page of all limits, and answers the limits of tags on it.',
      ours: 'Takes a page of the limits of tags.',
    },
  },
  {
    route: /\/deployments\//,
    where: ({ kind, path }) =>
      (kind === 'time' && path.endsWith('global_concurrency_limit.updated')) ||
      (kind === 'updated' && path.endsWith('global_concurrency_limit')),
    told: slotNotTaken,
  },
  {
    route: /\/v2\/concurrency_limits\//,
    where: ({ path, answers }) =>
      /(^|\.|\])(active_slots|updated)$/.test(path) && slotsKeptByLimitsThatAreOff(answers).length > 0,
    told: {
      routes: ['GET /v2/concurrency_limits/{id_or_name}', 'POST /v2/concurrency_limits/filter'],
      request: 'A limit that was inactive (`"active": false`) when a lease of its slots ended.',
      reference: 'Counts the slots of the lease in `active_slots` for good.',
      ours: 'Frees the slots of the lease.',
    },
  },
  {
    route: /\/v2\/concurrency_limits\//,
    where: ({ path, reference, ours, answers }) =>
      /(^|\.|\])active_slots$/.test(path) &&
      Math.abs(Number(reference) - Number(ours)) === 1 &&
      /"slot_decay_per_second":(?!0\.0\b)/.test(answers.reference.text),
    told: {
      routes: ['GET /v2/concurrency_limits/{id_or_name}', 'POST /v2/concurrency_limits/filter'],
      request: 'A limit with `slot_decay_per_second` while its slots come back.',
      reference: 'Computes `active_slots` from its own clock.',
      ours: 'Computes `active_slots` from its own clock, some milliseconds before or after the reference. The counts may differ by one.',
    },
  },
  {
    route: /^POST \/flow_runs\/\{id\}\/set_state$/,
    where: ({ answers: { reference, ours } }) =>
      reference.text.includes('"name":"AwaitingConcurrencySlot"') &&
      /"type":"PENDING"[^}]*"deployment_concurrency_lease_id":"/s.test(ours.text),
    told: {
      routes: ['POST /flow_runs/{id}/set_state'],
      request: 'PENDING for a run that kept the slot of its deployment for a retry, and was then rescheduled.',
      reference:
        'Asks for another slot. Without a free one it answers `AwaitingConcurrencySlot`, so that the run waits for its own slot.',
      ours: 'Accepts PENDING. The run keeps its slot.',
    },
  },
  {
    route: /^POST \/v2\/concurrency_limits\/filter$/,
    where: ({ kind, answers }) => kind === 'length' && isLongerByLimitsOfDeployments(answers),
    told: {
      routes: ['DELETE /flows/{id}', 'POST /flows/bulk_delete'],
      request: 'A flow with deployments that have a concurrency limit of their own.',
      reference: 'Deletes the deployments and leaves their limits (`deployment:{id}`).',
      ours: 'Deletes the limits with the deployments.',
    },
  },
  {
    route: /^GET \/v2\/concurrency_limits\//,
    where: ({ kind, path, answers }) =>
      (kind === 'updated' || (kind === 'time' && path === 'updated')) &&
      answers.reference.text.includes('"slot_decay_per_second":100000.0'),
    told: {
      routes: ['POST /v2/concurrency_limits/decrement-with-lease'],
      request: 'The end of a lease whose slots have come back through `slot_decay_per_second`.',
      reference: 'Changes `updated` of the limit.',
      ours: 'Leaves the limit as it is.',
    },
  },
  {
    route: /^POST \/concurrency_limits\/increment$/,
    where: ({ path, reference, ours, request }) => path === 'detail' && namesAnotherFullTag(reference, ours, request),
    told: {
      routes: ['POST /concurrency_limits/increment'],
      request: 'Several tags, with a free slot for the first one and none for another.',
      reference: 'Answers 423 and names the first tag that has a limit.',
      ours: 'Answers 423 and names the tag whose limit is reached.',
    },
  },
];

/** True when the lists differ only in limits of deployments that only the reference has. */
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

/** True when both answers report a reached limit, and both tags are among the requested ones. */
function namesAnotherFullTag(reference: string, ours: string, request: Finding['request']): boolean {
  const [there, here] = [reference, ours].map(
    (text) => /^Concurrency limit for the (.+) tag has been reached$/.exec(text)?.[1],
  );
  const body = readJson(String(request.body));
  const names = isParsedObject(body) && Array.isArray(body.names) ? body.names : [];
  return there !== here && [there, here].every((tag) => tag !== undefined && names.includes(tag));
}
