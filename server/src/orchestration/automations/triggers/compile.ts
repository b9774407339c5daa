/** The triggers of a workspace, compiled so that testing many events is fast. */
import type { Row } from '../../../database/tables/tables.ts';
import { patternsOf } from '../../../events/criteria.ts';
import type { Resource } from '../../../events/received-event.ts';
import type { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { isTooLongToMatch, MatchedText } from '../../../fairness/foreign-work/glob.ts';
import { type JsonText, jsonTextOf, numberOf, parseJson } from '../../../values/json.ts';
import type { CompoundTrigger, EventTrigger, LabelPatterns, SequenceTrigger, Trigger } from '../trigger-schema.ts';
import type { WindowRule } from './bucket.ts';
import { compileLabelPattern, compileNamePattern, type TextTest } from './patterns.ts';

/** The parts of an event that triggers read. */
export interface LabelledEvent {
  readonly name: string;
  readonly resource: Resource;
  readonly related: readonly Resource[];
}

interface CompiledAutomation {
  readonly id: string;
  readonly name: string;
  readonly actions: readonly JsonText[];
  readonly actionsOnTrigger: readonly JsonText[];
}

interface CompiledNode {
  readonly automation: CompiledAutomation;
  readonly id: string;
  /** Undefined for the trigger of the automation itself. */
  readonly parent: CompositeTrigger | undefined;
  readonly text: JsonText;
}

export interface CompositeTrigger extends CompiledNode {
  readonly kind: 'compound' | 'sequence';
  readonly childIds: readonly string[];
  /** Number of children that must have fired. */
  readonly required: number;
  /** Undefined when a firing of a child stays valid forever. */
  readonly withinMicroseconds: number | undefined;
}

export interface CompiledEventTrigger extends CompiledNode {
  readonly kind: 'event';
  readonly rule: WindowRule;
  /** False when every event fires alone, so that no count is stored. */
  readonly remembers: boolean;
  readonly forEach: readonly string[];
  /** Throws WorkSpent, like `counts`. */
  opens(name: MatchedText): boolean;
  counts(name: MatchedText): boolean;
  /** True if the labels of the event match. */
  matches(event: LabelledEvent, work: WorkAllowance): boolean;
}

export class TriggerSet {
  readonly events: readonly CompiledEventTrigger[];
  readonly proactive: readonly CompiledEventTrigger[];
  readonly hasComposites: boolean;
  /** Characters that one event causes to be written when every automation fires. */
  readonly weight: number;
  readonly #byId: ReadonlyMap<string, CompiledEventTrigger>;
  readonly #byName = new Map<string, CompiledEventTrigger[]>();
  /** Triggers that expect more than a few names. */
  readonly #others: CompiledEventTrigger[] = [];

  constructor(automations: readonly Row<'automation'>[]) {
    const events: CompiledEventTrigger[] = [];
    let composites = 0;
    let weight = 0;
    for (const row of automations) {
      const trigger = parseJson(row.trigger) as Trigger;
      const automation = compiledAutomation(row);
      composites += addTrigger(automation, trigger, undefined, events);
      weight += row.trigger.length * (automation.actions.length + automation.actionsOnTrigger.length);
    }
    this.weight = weight;
    this.events = events;
    this.proactive = events.filter(({ rule }) => rule.isProactive);
    this.hasComposites = composites > 0;
    this.#byId = new Map(events.map((trigger) => [trigger.id, trigger]));
    for (const trigger of events) this.#index(trigger);
  }

  /** Triggers that may concern events of this name. */
  *ofName(name: string): Iterable<CompiledEventTrigger> {
    yield* this.#byName.get(name) ?? [];
    yield* this.#others;
  }

  withId(id: string): CompiledEventTrigger | undefined {
    return this.#byId.get(id);
  }

  #index(trigger: CompiledEventTrigger): void {
    const { after, expect } = parseJson(trigger.text) as EventTrigger;
    const names = [...new Set([...after, ...expect])];
    if (expect.length === 0 || names.some((name) => name.includes('*'))) {
      this.#others.push(trigger);
      return;
    }
    for (const name of names) {
      const triggers = this.#byName.get(name);
      if (triggers) triggers.push(trigger);
      else this.#byName.set(name, [trigger]);
    }
  }
}

/** True for a trigger whose window opens by time, even without an event. */
export function looksAtAllTogether({ rule, forEach }: CompiledEventTrigger): boolean {
  return rule.isProactive && forEach.length === 0;
}

function compiledAutomation({ id, name, actions, actions_on_trigger }: Row<'automation'>): CompiledAutomation {
  const textsOf = (list: JsonText) => (parseJson(list) as unknown[]).map(jsonTextOf);
  return { id, name, actions: textsOf(actions), actionsOnTrigger: textsOf(actions_on_trigger) };
}

/** Adds the event triggers at the leaves; returns the number of composites above them. */
function addTrigger(
  automation: CompiledAutomation,
  trigger: Trigger,
  parent: CompositeTrigger | undefined,
  events: CompiledEventTrigger[],
): number {
  const node = { automation, id: trigger.id ?? '', parent, text: jsonTextOf(trigger) };
  if (trigger.type === 'event') {
    events.push(compileEventTrigger(node, trigger));
    return 0;
  }
  const composite: CompositeTrigger = {
    ...node,
    kind: trigger.type,
    childIds: trigger.triggers.map(({ id }) => id ?? ''),
    required: requiredOf(trigger),
    withinMicroseconds: trigger.within === null ? undefined : microseconds(trigger.within),
  };
  return trigger.triggers.reduce((sum, child) => sum + addTrigger(automation, child, composite, events), 1);
}

function requiredOf(trigger: CompoundTrigger | SequenceTrigger): number {
  if (trigger.type === 'sequence' || trigger.require === 'all') return trigger.triggers.length;
  return trigger.require === 'any' ? 1 : trigger.require;
}

function compileEventTrigger(node: CompiledNode, trigger: EventTrigger): CompiledEventTrigger {
  const rule: WindowRule = {
    isProactive: trigger.posture === 'Proactive',
    opensAfter: trigger.after.length > 0,
    threshold: numberOf(trigger.threshold) ?? 1,
    withinMicroseconds: microseconds(trigger.within),
  };
  const { [SUBFLOW_LABEL]: subflow, ...match } = trigger.match;
  const matchesPrimary = compileLabels(match);
  const isWantedRun = subflow === undefined ? undefined : compileLabels({ [SUBFLOW_LABEL]: subflow });
  const matchesRelated = relatedOf(trigger)
    .filter((labels) => Object.keys(labels).length > 0)
    .map(compileLabels);
  const seesItself = [...trigger.after, ...trigger.expect].some((name) => name.startsWith('prefect.automation.'));
  const ownResource = `prefect.automation.${node.automation.id}`;
  return {
    ...node,
    kind: 'event',
    rule,
    remembers: rule.opensAfter || rule.withinMicroseconds > 0 || rule.threshold > 1,
    forEach: trigger.for_each,
    opens: compileNames(trigger.after),
    counts: trigger.expect.length === 0 ? () => true : compileNames(trigger.expect),
    matches: (event, work) => {
      // An automation that reacted to the events of its own firings would fire forever.
      if (!seesItself && event.resource['prefect.resource.id'] === ownResource && isOwnDoing(event.name)) return false;
      return (
        matchesPrimary(event.resource, work) &&
        (isWantedRun === undefined || isWantedRun(subflowLabelOf(event), work)) &&
        matchesRelated.every((matches) => event.related.some((resource) => matches(resource, work)))
      );
    },
  };
}

/**
 * A label that events do not have: the reference's events tell a subflow run only by a related task run, and no labels
 * of a trigger can ask that none is there.
 */
export const SUBFLOW_LABEL = 'signalbox.subflow';

const RUN_EVENT = /^prefect\.flow-run\./;

/** `yes` for the run of a subflow and `no` for another flow run; nothing for other events. */
function subflowLabelOf({ name, related }: LabelledEvent): Resource {
  if (!RUN_EVENT.test(name)) return {};
  const isSubflow = related.some((resource) => resource['prefect.resource.role'] === 'task-run');
  return { [SUBFLOW_LABEL]: isSubflow ? 'yes' : 'no' };
}

function isOwnDoing(name: string): boolean {
  return name === 'prefect.automation.triggered' || name.startsWith('prefect.automation.action.');
}

function relatedOf({ match_related }: EventTrigger): readonly LabelPatterns[] {
  return Array.isArray(match_related) ? (match_related as readonly LabelPatterns[]) : [match_related as LabelPatterns];
}

function compileNames(patterns: readonly string[]): TextTest {
  const tests = patterns.map(compileNamePattern);
  return (name) => tests.some((test) => test(name));
}

function compileLabels(labels: LabelPatterns): (resource: Resource, work: WorkAllowance) => boolean {
  const tests = Object.entries(labels).map(
    ([label, patterns]) => [label, patternsOf(patterns).map(compileLabelPattern)] as const,
  );
  return (resource, work) =>
    tests.every(([label, patterns]) => {
      work.spend(1);
      const value = Object.hasOwn(resource, label) ? resource[label] : undefined;
      if (value === undefined || isTooLongToMatch(value)) return false;
      const text = new MatchedText(value, work);
      return patterns.some((matches) => matches(text));
    });
}

const RELATED_LABEL = /^related:([^:]+):(.+)$/s;

/** The event's values of the labels in `for_each`; empty text for a missing label. */
export function triggeringLabels(forEach: readonly string[], event: LabelledEvent): Record<string, string> {
  const values: Record<string, string> = {};
  for (const label of forEach) values[label] = labelValue(label, event) ?? '';
  return values;
}

function labelValue(label: string, { resource, related }: LabelledEvent): string | undefined {
  const [, role, inner] = RELATED_LABEL.exec(label) ?? [];
  if (role === undefined || inner === undefined) return own(resource, label);
  const first = related.find((one) => one['prefect.resource.role'] === role);
  return first && own(first, inner);
}

function own(labels: Resource, label: string): string | undefined {
  return Object.hasOwn(labels, label) ? labels[label] : undefined;
}

/** `seconds` as read from JSON, where `1.0` is kept as text. */
function microseconds(seconds: number): number {
  return Math.round((numberOf(seconds) ?? 0) * 1_000_000);
}
