/**
 * Simulates a trigger on past events: the evaluation of a pass, without its effects. Events are evaluated in the order
 * of time, and windows end at ticks with the interval of a pass.
 */
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import type { MeasuredWork } from '../../../fairness/turns.ts';
import { newId } from '../../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../../values/json.ts';
import { timestampFromMicroseconds } from '../../../values/time.ts';
import type { Trigger } from '../trigger-schema.ts';
import { looksAtAllTogether, TriggerSet } from './compile.ts';
import { ChildFirings } from './composite.ts';
import { Evaluation, type QueuedEvent, sightingsOf } from './evaluation.ts';
import type { Firing } from './firing.ts';
import { Looks } from './looks.ts';
import { TICK_SECONDS } from './pass.ts';

const TICK_MICROSECONDS = TICK_SECONDS * 1_000_000;

interface ReplayOptions {
  readonly work: MeasuredWork;
  readonly mostFirings: number;
  readonly mostMilliseconds: number;
}

export class Replay {
  readonly #options: ReplayOptions;
  readonly #triggers: TriggerSet;
  readonly #evaluation: Evaluation;
  readonly #looks = new Looks();
  /** Microseconds since 1970; no window ends before it. */
  #nextTick: number;

  /** `start`, in microseconds, is the time from which the trigger is assumed to exist. */
  constructor(trigger: Trigger, start: number, options: ReplayOptions) {
    this.#options = options;
    this.#triggers = new TriggerSet([automationOf(trigger, start)]);
    this.#evaluation = new Evaluation(new ChildFirings([]), start);
    this.#nextTick = start;
  }

  /** True once it has reached its limit of firings or work; later events are then ignored. */
  get isOver(): boolean {
    const { work, mostFirings, mostMilliseconds } = this.#options;
    return this.firings.length >= mostFirings || work.milliseconds >= mostMilliseconds;
  }

  /** Firings in order. */
  get firings(): readonly Firing[] {
    return this.#evaluation.firings;
  }

  /** Evaluates an event that is not older than the previous ones. Returns whether the trigger counts it. */
  async observe(event: QueuedEvent): Promise<boolean> {
    await this.passTime(event.occurred);
    await this.#options.work.pause();
    if (this.isOver) return false;
    this.#evaluation.advance(event.occurred);
    let isCounted = false;
    for (const sighting of sightingsOf(this.#triggers, event, new WorkAllowance())) {
      this.#evaluation.observe(sighting);
      isCounted ||= sighting.counts;
    }
    return isCounted;
  }

  /** Ends the windows that are over at `now`. */
  async passTime(now: number): Promise<void> {
    while (this.#nextTick <= now && !this.isOver) {
      const tick = this.#nextTick;
      this.#evaluation.advance(tick);
      const due = this.#looks.due(this.#triggers.proactive, tick);
      for (const trigger of due.filter(looksAtAllTogether)) this.#evaluation.open(trigger, tick);
      this.#evaluation.passTime(new Set(due), tick);
      for (const trigger of due) this.#looks.looked(trigger, tick, this.#evaluation.nextEnd(trigger, tick));
      const next = this.#looks.first(this.#triggers.proactive) ?? Number.POSITIVE_INFINITY;
      this.#nextTick = Math.ceil(Math.max(next, tick + 1) / TICK_MICROSECONDS) * TICK_MICROSECONDS;
      await this.#options.work.pause();
    }
  }
}

function automationOf(trigger: Trigger, start: number) {
  const created = timestampFromMicroseconds(start);
  const none = '[]' as JsonText;
  return {
    workspace: 0,
    id: newId(),
    created,
    updated: created,
    name: '',
    description: '',
    tags: none,
    enabled: true,
    trigger: jsonTextOf(withIds(trigger)),
    actions: none,
    actions_on_trigger: none,
    actions_on_resolve: none,
  };
}

function withIds(trigger: Trigger): Trigger {
  const id = newId();
  return trigger.type === 'event' ? { ...trigger, id } : { ...trigger, id, triggers: trigger.triggers.map(withIds) };
}

interface ExpectedNames {
  readonly name?: string[];
  readonly prefix?: string[];
}

/** Names of the events that may concern the trigger, for a query; undefined if every event may. */
export function expectedNames(trigger: Trigger): ExpectedNames | undefined {
  const patterns = patternsOf(trigger);
  if (!patterns) return undefined;
  if (patterns.every((pattern) => !pattern.includes('*'))) return { name: patterns };
  const prefix = patterns.map((pattern) => pattern.split('*')[0] ?? '');
  return prefix.includes('') ? undefined : { prefix };
}

function patternsOf(trigger: Trigger): string[] | undefined {
  if (trigger.type === 'event') {
    return trigger.expect.length === 0 ? undefined : [...new Set([...trigger.after, ...trigger.expect])];
  }
  const parts = trigger.triggers.map(patternsOf);
  return parts.every((part) => part !== undefined) ? [...new Set(parts.flat())] : undefined;
}
