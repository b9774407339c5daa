/** The form's model of a trigger: the state of an object, an event in detail, a group of triggers, or JSON. */
import { type StateKind, stateWords } from '../design/states.ts';
import type { EventTrigger, GroupTrigger, Trigger } from './queries.ts';
import { SUBFLOW_LABEL, secondsOf } from './sentence.ts';

export type StateSubject = 'flow-run' | 'work-pool' | 'work-queue' | 'deployment';

export interface StateForm {
  readonly kind: StateSubject;
  /** Last parts of event names: `Failed`, `not-ready`. */
  readonly states: readonly string[];
  /** Resource ids to which it is restricted: flows, deployments and tags for flow runs, else the objects themselves. */
  readonly scope: readonly string[];
  /** Leaves out the runs of subflows, which belong to those of their parents. */
  readonly topOnly: boolean;
  /** Decides whether it fires when the state is entered, or when it has lasted `seconds`. */
  readonly posture: 'enters' | 'stays';
  readonly seconds: number;
}

export interface EventForm {
  readonly kind: 'event';
  readonly posture: 'Reactive' | 'Proactive';
  readonly expect: readonly string[];
  readonly after: readonly string[];
  /** JSON. */
  readonly match: string;
  readonly matchRelated: string;
  readonly forEach: readonly string[];
  readonly threshold: number;
  readonly seconds: number;
}

/** Several triggers: a compound in any order, or a sequence in its order. */
export interface GroupForm {
  readonly kind: 'compound' | 'sequence';
  /** Number of parts of a compound that must fire. A sequence needs all. */
  readonly require: 'all' | 'any' | number;
  /** Seconds between the first part and the last; null without a limit. */
  readonly seconds: number | null;
  readonly parts: readonly GroupPart[];
}

export interface GroupPart {
  /** Identifies the part while the form is open, so that parts can move. */
  readonly key: string;
  readonly form: TriggerForm;
}

export interface JsonForm {
  readonly kind: 'json';
  readonly text: string;
}

export type TriggerForm = StateForm | EventForm | GroupForm | JsonForm;

export const stateSubjects: readonly (readonly [StateSubject, string])[] = [
  ['flow-run', 'The state of a flow run'],
  ['deployment', 'The status of a deployment'],
  ['work-pool', 'The status of a work pool'],
  ['work-queue', 'The status of a work queue'],
];

/** The names of the states of runs, grouped by their types. */
export const runStates: readonly (readonly [title: string, kind: StateKind, names: readonly string[]])[] = [
  ['Failed', 'FAILED', ['Failed', 'TimedOut']],
  ['Crashed', 'CRASHED', ['Crashed']],
  ['Completed', 'COMPLETED', ['Completed']],
  ['Cancelled', 'CANCELLED', ['Cancelled']],
  ['Scheduled', 'SCHEDULED', ['Scheduled', 'Late', 'AwaitingRetry']],
  ['Pending', 'PENDING', ['Pending']],
  ['Running', 'RUNNING', ['Running']],
  ['Paused', 'PAUSED', ['Paused']],
];

/** Each name under which a client ends a run that failed or crashed. */
export const failureStates: readonly string[] = runStates.slice(0, 2).flatMap(([, , names]) => names);

/** The states of each subject, by their names in events, with the words for people. */
export const subjectStates: Readonly<Record<StateSubject, readonly (readonly [string, string])[]>> = {
  'flow-run': runStates.flatMap(([, kind, names]) => names.map((name) => [name, stateWords(kind, name)] as const)),
  'work-pool': [
    ['not-ready', 'Not ready'],
    ['ready', 'Ready'],
    ['paused', 'Paused'],
  ],
  'work-queue': [
    ['not-ready', 'Not ready'],
    ['ready', 'Ready'],
    ['paused', 'Paused'],
  ],
  deployment: [
    ['not-ready', 'Not ready'],
    ['ready', 'Ready'],
  ],
};

export function stateForm(kind: StateSubject, states: readonly string[], more: Partial<StateForm> = {}): StateForm {
  return { kind, states, scope: [], topOnly: false, posture: 'enters', seconds: 3600, ...more };
}

export function groupPart(form: TriggerForm): GroupPart {
  return { key: crypto.randomUUID(), form };
}

/** Throws SyntaxError when a JSON field contains invalid text. */
function triggerOf(form: TriggerForm): Trigger {
  if (form.kind === 'json') return JSON.parse(form.text) as Trigger;
  if ('parts' in form) return groupOf(form);
  if (form.kind === 'event') {
    return {
      type: 'event',
      posture: form.posture,
      match: JSON.parse(form.match),
      match_related: JSON.parse(form.matchRelated),
      after: [...form.after],
      expect: [...form.expect],
      for_each: [...form.forEach],
      threshold: form.threshold,
      within: form.seconds,
    };
  }
  const { kind, states, scope, topOnly, posture, seconds } = form;
  const prefix = `prefect.${kind}.`;
  const entered = states.map((state) => prefix + state);
  const isOfRuns = kind === 'flow-run';
  const own = !isOfRuns && scope.length > 0 ? [...scope] : `${prefix}*`;
  return {
    type: 'event',
    posture: posture === 'stays' ? 'Proactive' : 'Reactive',
    match: { 'prefect.resource.id': own, ...(isOfRuns && topOnly && { [SUBFLOW_LABEL]: 'no' }) },
    match_related: isOfRuns && scope.length > 0 ? { 'prefect.resource.id': [...scope] } : {},
    after: posture === 'stays' ? entered : [],
    expect: posture === 'stays' ? [`${prefix}*`] : entered,
    for_each: ['prefect.resource.id'],
    threshold: 1,
    within: posture === 'stays' ? seconds : 0,
  };
}

function groupOf({ kind, require, seconds, parts }: GroupForm): GroupTrigger {
  const group = { within: seconds, triggers: parts.map(({ form }) => triggerOf(form)) };
  return kind === 'compound' ? { type: kind, require, ...group } : { type: kind, ...group };
}

/** The simplest form of the same trigger. */
export function formOf(trigger: Trigger): TriggerForm {
  if ('triggers' in trigger) return groupForm(trigger);
  return stateFormOf(trigger) ?? eventForm(trigger);
}

function groupForm(trigger: GroupTrigger): GroupForm {
  return {
    kind: 'require' in trigger ? 'compound' : 'sequence',
    require: 'require' in trigger ? trigger.require : 'all',
    seconds: trigger.within === null ? null : secondsOf(trigger.within),
    parts: trigger.triggers.map((part) => groupPart(formOf(part))),
  };
}

export function eventForm(trigger: EventTrigger): EventForm {
  return {
    kind: 'event',
    posture: trigger.posture,
    expect: trigger.expect ?? [],
    after: trigger.after ?? [],
    match: JSON.stringify(trigger.match ?? {}, undefined, 2),
    matchRelated: JSON.stringify(trigger.match_related ?? {}, undefined, 2),
    forEach: trigger.for_each ?? [],
    threshold: trigger.threshold ?? 1,
    seconds: secondsOf(trigger.within),
  };
}

function stateFormOf(trigger: EventTrigger): StateForm | undefined {
  const { after = [], expect = [] } = trigger;
  const posture = trigger.posture === 'Proactive' ? 'stays' : 'enters';
  const entered = posture === 'stays' ? after : expect;
  const kind = /^prefect\.([a-z-]+)\./.exec(entered[0] ?? '')?.[1] as StateSubject | undefined;
  if (kind === undefined || !Object.hasOwn(subjectStates, kind)) return undefined;
  const scoped = kind === 'flow-run' ? trigger.match_related : trigger.match;
  const ids = Array.isArray(scoped)
    ? undefined
    : (scoped as Record<string, unknown> | undefined)?.['prefect.resource.id'];
  const scope = (Array.isArray(ids) ? ids : ids === undefined ? [] : [ids]).filter(
    (id): id is string => typeof id === 'string' && !id.endsWith('.*'),
  );
  const form = stateForm(
    kind,
    entered.map((name) => name.slice(`prefect.${kind}.`.length)),
    { scope, topOnly: trigger.match?.[SUBFLOW_LABEL] === 'no', posture, seconds: secondsOf(trigger.within) || 3600 },
  );
  const isKnown = form.states.every((state) => subjectStates[kind].some(([name]) => name === state));
  return isKnown && isSame(triggerOf(form) as EventTrigger, trigger) ? form : undefined;
}

function isSame(one: EventTrigger, other: EventTrigger): boolean {
  return canonical(one) === canonical(other);
}

/** The trigger with defaults, without the id, and with a list of one label as the label. */
function canonical(trigger: EventTrigger): string {
  const { match = {}, match_related = {}, after = [], expect = [], for_each = [], posture, threshold = 1 } = trigger;
  const single = (value: unknown) => (Array.isArray(value) && value.length === 1 ? value[0] : value);
  const labels = (given: unknown) =>
    Object.entries(given as Record<string, unknown>)
      .map(([label, value]) => [label, single(value)])
      .toSorted();
  const related = Array.isArray(match_related) ? match_related.map(labels) : labels(match_related);
  const names = (list: readonly string[]) => [...list].sort();
  return JSON.stringify([
    labels(match),
    related,
    names(after),
    names(expect),
    names(for_each),
    posture,
    threshold,
    secondsOf(trigger.within),
  ]);
}

/** Undefined when a JSON field contains invalid text, or JSON that is not a trigger. */
export function readTrigger(form: TriggerForm): Trigger | undefined {
  try {
    const trigger: unknown = triggerOf(form);
    return isTrigger(trigger) ? trigger : undefined;
  } catch {
    return undefined;
  }
}

function isTrigger(value: unknown): value is Trigger {
  if (typeof value !== 'object' || value === null) return false;
  const { triggers, posture } = value as { triggers?: unknown; posture?: unknown };
  return Array.isArray(triggers) ? triggers.every(isTrigger) : typeof posture === 'string';
}

/** Keeps the parts of the trigger that the other form supports. */
export function converted(form: TriggerForm, kind: TriggerForm['kind']): TriggerForm {
  const trigger = readTrigger(form);
  if (kind === 'json') return { kind, text: JSON.stringify(trigger ?? {}, undefined, 2) };
  if (kind === 'compound' || kind === 'sequence') {
    const old = trigger && formOf(trigger);
    if (old && 'parts' in old) return { ...old, kind, require: 'all' };
    const parts = [old ?? stateForm('flow-run', ['Failed']), stateForm('flow-run', ['Failed'])];
    return { kind, require: 'all', seconds: 3600, parts: parts.map(groupPart) };
  }
  if (kind === 'event') return eventForm(!trigger || 'triggers' in trigger ? { posture: 'Reactive' } : trigger);
  return stateForm(kind, [subjectStates[kind][0]?.[0] ?? '']);
}
