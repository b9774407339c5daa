import { slotsKeptByLimitsThatAreOff } from '../slots.ts';
import { isParsedObject, type Parsed, readJson } from '../wire/json-text.ts';
import type { ExpectedDifference, Finding } from './finding.ts';

/** Expected differences in concurrency limits and their slots. */
export const expectedOfLimits: readonly ExpectedDifference[] = [
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
    route: /^POST \/concurrency_limits\/filter$/,
    where: ({ kind, request }) => kind === 'length' && /"(offset|limit)":([1-9]|true)/.test(String(request.body)),
    reason: 'limits of tags are paged, where the reference takes them out of a page of all limits',
  },
  {
    route: /\/deployments\//,
    where: ({ kind, path }) =>
      (kind === 'time' && path.endsWith('global_concurrency_limit.updated')) ||
      (kind === 'updated' && path.endsWith('global_concurrency_limit')),
    reason: 'giving back a slot that was never taken, when a run is deleted, does not touch the limit',
  },
  {
    route: /\/v2\/concurrency_limits\//,
    where: ({ path, answers }) =>
      /(^|\.|\])(active_slots|updated)$/.test(path) && slotsKeptByLimitsThatAreOff(answers).length > 0,
    reason: 'the slot of a limit that is switched off comes back, where the reference counts it for good',
  },
  {
    route: /\/v2\/concurrency_limits\//,
    where: ({ path, reference, ours, answers }) =>
      /(^|\.|\])active_slots$/.test(path) &&
      Math.abs(Number(reference) - Number(ours)) === 1 &&
      /"slot_decay_per_second":(?!0\.0\b)/.test(answers.reference.text),
    reason:
      'slots that come back by themselves are counted by the clock of each server, at moments some milliseconds apart',
  },
  {
    route: /^POST \/flow_runs\/\{id\}\/set_state$/,
    where: ({ answers: { reference, ours } }) =>
      reference.text.includes('"name":"AwaitingConcurrencySlot"') &&
      /"type":"PENDING"[^}]*"deployment_concurrency_lease_id":"/s.test(ours.text),
    reason:
      'a run that was rescheduled while it held the slot of its retry gets a slot, where the reference has it wait for its own',
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
    route: /^POST \/concurrency_limits\/increment$/,
    where: ({ path, reference, ours, request }) => path === 'detail' && namesAnotherFullTag(reference, ours, request),
    reason: 'the tag whose limit is reached is named, where the reference names the first of them',
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
