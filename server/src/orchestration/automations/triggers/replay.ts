/**
 * What a trigger would have done with events of the past: the evaluation of a pass, without its effects. Events are seen
 * in the order of their time, and windows end at ticks as far apart as those of a pass.
 */
import { WorkAllowance } from '../../../foreign-work/allowance.ts';
import { newId } from '../../../id.ts';
import { type JsonText, jsonTextOf } from '../../../json.ts';
import { timestampFromMicroseconds } from '../../../time.ts';
import type { MeasuredWork } from '../../../turns.ts';
import type { Trigger } from '../trigger-schema.ts';
import { type CompiledEventTrigger, TriggerSet } from './compile.ts';
import { ChildFirings } from './composite.ts';
import { Evaluation, type QueuedEvent, sightingsOf } from './evaluation.ts';
import type { Firing } from './firing.ts';
import { TICK_SECONDS } from './pass.ts';

const TICK_MICROSECONDS = TICK_SECONDS * 1_000_000;

export interface ReplayOptions {
  readonly work: MeasuredWork;
  readonly mostFirings: number;
  readonly mostMilliseconds: number;
}

export class Replay {
  readonly #options: ReplayOptions;
  readonly #triggers: TriggerSet;
  readonly #evaluation: Evaluation;
  readonly #openers: readonly CompiledEventTrigger[];
  /** Microseconds since 1970; no window ends before it. */
  #nextTick: number;

  /** `start` in microseconds: the time from which the trigger is imagined to be there. */
  constructor(trigger: Trigger, start: number, options: ReplayOptions) {
    this.#options = options;
    this.#triggers = new TriggerSet([automationOf(trigger, start)]);
    this.#evaluation = new Evaluation(new ChildFirings([]), start);
    this.#openers = this.#triggers.events.filter(
      ({ rule, forEach }) => rule.isProactive && !rule.opensAfter && forEach.length === 0,
    );
    this.#nextTick = start;
  }

  /** True once it has fired or worked as much as it may; it then sees nothing more. */
  get isOver(): boolean {
    const { work, mostFirings, mostMilliseconds } = this.#options;
    return this.firings.length >= mostFirings || work.milliseconds >= mostMilliseconds;
  }

  /** In their order. */
  get firings(): readonly Firing[] {
    return this.#evaluation.firings;
  }

  /** Sees an event that is not older than those before. Returns whether it is one that the trigger counts. */
  async observe(event: QueuedEvent): Promise<boolean> {
    await this.passTime(event.occurred);
    await this.#options.work.pause();
    if (this.isOver) return false;
    this.#evaluation.advance(event.occurred);
    let isCounted = false;
    for (const sighting of sightingsOf(this.#triggers, event, new WorkAllowance())) {
      const { rule } = sighting.trigger;
      this.#evaluation.observe(sighting);
      if (rule.isProactive) this.#lookAt(event.occurred + rule.withinMicroseconds);
      isCounted ||= sighting.counts;
    }
    return isCounted;
  }

  /** Lets the windows end that are over at `now`. */
  async passTime(now: number): Promise<void> {
    while (this.#nextTick <= now && !this.isOver) {
      const tick = this.#nextTick;
      this.#evaluation.advance(tick);
      this.#evaluation.passTime(tick);
      for (const trigger of this.#openers) this.#evaluation.open(trigger, tick);
      this.#nextTick = Number.POSITIVE_INFINITY;
      const end = this.#evaluation.nextEnd();
      if (end !== undefined) this.#lookAt(Math.max(end, tick + 1));
      await this.#options.work.pause();
    }
  }

  #lookAt(time: number): void {
    this.#nextTick = Math.min(this.#nextTick, Math.ceil(time / TICK_MICROSECONDS) * TICK_MICROSECONDS);
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

export interface ExpectedNames {
  readonly name?: string[];
  readonly prefix?: string[];
}

/** Names of the events that can concern the trigger, for a query; undefined when every event can. */
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
