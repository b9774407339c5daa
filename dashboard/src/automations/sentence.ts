/** Triggers and actions in plain words. */
import { duration } from '../design/time.ts';
import type { Action, DryRun, EventTrigger, Names, Trigger } from './queries.ts';

/** The server tells by it whether an event is of the run of a subflow. */
export const SUBFLOW_LABEL = 'signalbox.subflow';

/** Words for the subjects of the server's own events, by the second part of their names. */
const subjects: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'flow-run': 'a flow run',
    'task-run': 'a task run',
    'work-pool': 'a work pool',
    'work-queue': 'a work queue',
    deployment: 'a deployment',
  }),
);

const statuses: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ready: 'becomes ready',
    'not-ready': 'becomes not ready',
    paused: 'is paused',
    disabled: 'is disabled',
    created: 'is created',
    updated: 'is changed',
    deleted: 'is deleted',
  }),
);

export function triggerSentence(trigger: Trigger, names: Names): string {
  const text = phrase(trigger, names);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function phrase(trigger: Trigger, names: Names): string {
  if ('triggers' in trigger) {
    const within = secondsOf(trigger.within);
    const parts = trigger.triggers.map((part) =>
      'triggers' in part ? `(${phrase(part, names)})` : phrase(part, names),
    );
    const time = within > 0 ? `, within ${duration(within)}` : '';
    if (!('require' in trigger)) return `in this order: ${parts.join('; then ')}${time}`;
    const { require } = trigger;
    const many = require === 'all' ? 'all of these' : require === 'any' ? 'any of these' : `${require} of these`;
    return `${many}: ${parts.join('; ')}${time}`;
  }
  return trigger.posture === 'Proactive' ? absence(trigger, names) : presence(trigger, names);
}

function presence(trigger: EventTrigger, names: Names): string {
  const { threshold = 1, for_each = [], after = [] } = trigger;
  const within = secondsOf(trigger.within);
  const what = happening(trigger.expect ?? []);
  const times = threshold > 1 ? ` ${threshold} times` : '';
  const time = within > 0 ? ` within ${duration(within)}` : '';
  const since = after.length > 0 ? ` after ${happening(after)}` : '';
  const each = threshold > 1 || after.length > 0 ? sameOf(for_each) : '';
  return `${what}${where(trigger, names)}${times}${time}${since}${each}`;
}

/** The words for a missing event. The usual case is a run that stays in a state. */
function absence(trigger: EventTrigger, names: Names): string {
  const { threshold = 1, for_each = [], after = [], expect = [] } = trigger;
  const time = duration(secondsOf(trigger.within));
  const states = after.length > 0 ? partsOf(after) : undefined;
  const leaves = expect.length === 0 || expect.every((name) => name === `prefect.${states?.kind}.*`);
  const subject = states && subjects.get(states.kind);
  if (states && leaves && subject && for_each.includes('prefect.resource.id')) {
    return `${subject}${where(trigger, names)} stays ${list(states.words)} for ${time}`;
  }
  const since = after.length > 0 ? ` after ${happening(after)}` : '';
  const what = threshold > 1 ? `fewer than ${threshold} times ${happening(expect)}` : notHappening(expect);
  return `${what}${where(trigger, names)} for ${time}${since}${sameOf(for_each)}`;
}

/** `prefect.flow-run.Failed` and `prefect.flow-run.Crashed` have one subject and two words. */
function partsOf(names: readonly string[]): { readonly kind: string; readonly words: string[] } | undefined {
  const parts = names.map((name) => /^prefect\.([a-z-]+)\.([^.]+)$/.exec(name));
  const kind = parts[0]?.[1];
  if (kind === undefined || parts.some((part) => part?.[1] !== kind)) return undefined;
  return { kind, words: parts.map((part) => part?.[2] ?? '') };
}

function happening(names: readonly string[]): string {
  if (names.length === 0) return 'any event comes';
  const own = partsOf(names);
  const subject = own && subjects.get(own.kind);
  if (own && subject) {
    if (own.words.includes('*')) return `anything happens to ${subject}`;
    const isStatus = own.words.every((word) => statuses.has(word));
    return isStatus
      ? `${subject} ${list(own.words.map((word) => statuses.get(word) ?? word))}`
      : `${subject} becomes ${list(own.words)}`;
  }
  return `the event ${list(names)} comes`;
}

function notHappening(names: readonly string[]): string {
  const own = partsOf(names);
  const subject = own && subjects.get(own.kind);
  if (names.length === 0 || own?.words.includes('*')) return `nothing happens${subject ? ` to ${subject}` : ''}`;
  return happening(names).replace(/^(an?|the) /, 'no ');
}

function where({ match = {}, match_related = {} }: EventTrigger, names: Names): string {
  const related = Array.isArray(match_related) ? match_related : [match_related];
  const own = Object.entries(match).flatMap(([label, value]) => condition(label, value, names));
  const others = related.flatMap((labels) =>
    Object.entries(labels).flatMap(([label, value]) => condition(label, value, names)),
  );
  const all = [...own, ...others].filter((text) => text !== '');
  return all.length > 0 ? ` (${all.join(', ')})` : '';
}

function condition(label: string, value: unknown, names: Names): string[] {
  const values = (Array.isArray(value) ? value : [value]).map(String);
  // A condition that matches every object of a kind is not mentioned.
  if (label === 'prefect.resource.id' && values.every((one) => /^prefect\.[a-z-]+\.\*$/.test(one))) return [];
  if (label === 'prefect.resource.role') return [];
  if (label === SUBFLOW_LABEL) return [values.includes('no') ? 'top-level runs only' : 'runs of subflows only'];
  const words = values.map((one) => objectName(one, names));
  return [
    label === 'prefect.resource.id' ? list(words) : `${label.replace(/^prefect\.(resource\.)?/, '')} ${list(words)}`,
  ];
}

const OWN = /^prefect\.([a-z-]+)\.(.+)$/;

/** `flow report`, `tag prod`; the id of an object without a known name. */
export function objectName(resourceId: string, names: Names): string {
  const [, kind = '', rest = ''] = OWN.exec(resourceId) ?? [];
  if (kind === 'tag') return `tag ${rest}`;
  // An event may give its resource any name, including `constructor`.
  return Object.hasOwn(names, resourceId) ? `${kind.replaceAll('-', ' ')} ${names[resourceId]}` : resourceId;
}

function sameOf(labels: readonly string[]): string {
  if (labels.length === 0) return '';
  const words = labels.map((label) =>
    label === 'prefect.resource.id'
      ? 'resource'
      : label.replace(/^related:/, '').replace(/:prefect\.resource\.id$/, ''),
  );
  return `, for each ${list(words, 'and')}`;
}

/** `4 more runs failed as TimedOut.` for the states that a trigger does not wait for. */
export function missedSentence(missed: DryRun['missed']): string {
  const parts = missed.map(({ state_type, state_name, count }) => {
    const verb = state_type === 'CRASHED' ? 'crashed' : 'failed';
    return `${count.toLocaleString('en')} more ${count === 1 ? 'run' : 'runs'} ${verb} as ${state_name}`;
  });
  return `${list(parts, 'and')}.`;
}

function list(words: readonly string[], last = 'or'): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

export function secondsOf(within: number | string | null | undefined): number {
  const seconds = Number(within ?? 0);
  return Number.isFinite(seconds) ? seconds : 0;
}

export const actionTitles = {
  'run-deployment': 'Run a deployment',
  'pause-deployment': 'Pause a deployment',
  'resume-deployment': 'Resume a deployment',
  'send-notification': 'Send a notification',
  'call-webhook': 'Call a webhook',
  'change-flow-run-state': 'Change the state of the run',
  'cancel-flow-run': 'Cancel the run',
  'suspend-flow-run': 'Suspend the run',
  'resume-flow-run': 'Resume the run',
  'delete-flow-run': 'Delete the run',
  'pause-work-pool': 'Pause a work pool',
  'resume-work-pool': 'Resume a work pool',
  'pause-work-queue': 'Pause a work queue',
  'resume-work-queue': 'Resume a work queue',
  'pause-automation': 'Switch off an automation',
  'resume-automation': 'Switch on an automation',
  'do-nothing': 'Do nothing',
} as const;

export type ActionType = keyof typeof actionTitles;

/** The field in which an action names its object, and the kind of that object. */
export const actionTargets: Readonly<
  Partial<Record<ActionType, { readonly field: string; readonly kind: TargetKind }>>
> = {
  'run-deployment': { field: 'deployment_id', kind: 'deployment' },
  'pause-deployment': { field: 'deployment_id', kind: 'deployment' },
  'resume-deployment': { field: 'deployment_id', kind: 'deployment' },
  'pause-work-pool': { field: 'work_pool_id', kind: 'work-pool' },
  'resume-work-pool': { field: 'work_pool_id', kind: 'work-pool' },
  'pause-work-queue': { field: 'work_queue_id', kind: 'work-queue' },
  'resume-work-queue': { field: 'work_queue_id', kind: 'work-queue' },
  'pause-automation': { field: 'automation_id', kind: 'automation' },
  'resume-automation': { field: 'automation_id', kind: 'automation' },
  'send-notification': { field: 'block_document_id', kind: 'block-document' },
  'call-webhook': { field: 'block_document_id', kind: 'block-document' },
};

export type TargetKind = 'deployment' | 'work-pool' | 'work-queue' | 'automation' | 'block-document';

export function actionSentence(action: Action, names: Names): string {
  const type = (action.type ?? 'do-nothing') as ActionType;
  const target = actionTargets[type];
  if (type === 'change-flow-run-state') {
    const { state, name } = action as { state: string; name?: string | null };
    return `Change the state of the run to ${name ?? state.toLowerCase()}`;
  }
  if (!target) return actionTitles[type] ?? type;
  const id = (action as Record<string, unknown>)[target.field];
  if (typeof id !== 'string') return `${actionTitles[type].replace(/\ban? /, 'the ')} of the event`;
  const name = names[`prefect.${target.kind}.${id}`] ?? 'that was deleted';
  const by = target.kind === 'block-document' ? ' by block' : '';
  return `${by ? actionTitles[type] : actionTitles[type].replace(/\ban? /, 'the ')}${by} ${name}`;
}
