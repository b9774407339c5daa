/** Small histories of events with triggers that see them, in any order of arrival. */
import type { Random } from '../generate/random.ts';

export type Kind = 'begin' | 'end' | 'both';

export interface Arrival {
  /** Two arrivals of one event have the same number. */
  readonly event: number;
  readonly kind: Kind;
  /** When it occurred, from the beginning of the run. */
  readonly seconds: number;
  /** One of the things that `for_each` tells apart. */
  readonly thing: number;
}

export interface History {
  readonly trigger: HistoryTrigger;
  /** In the order in which they arrive. */
  readonly arrivals: readonly Arrival[];
}

export type HistoryTrigger =
  | {
      readonly type: 'event';
      readonly posture: 'Reactive' | 'Proactive';
      readonly after: readonly Kind[];
      readonly expect: readonly Kind[];
      readonly forEach: boolean;
      readonly threshold: number;
      readonly within: number;
    }
  | {
      readonly type: 'compound' | 'sequence';
      readonly require?: number | 'any' | 'all';
      readonly within: number | null;
      readonly triggers: readonly HistoryTrigger[];
    };

/** Windows of proactive triggers are longer than it takes to send a history, so that the clock does not look meanwhile. */
export const PROACTIVE_SECONDS = 30;
/** Events occurred within this time before the run. */
const MOST_SECONDS_AGO = 45;
export const MOST_ARRIVALS = 6;

export function historyOf(random: Random): History {
  const events = Array.from({ length: random.int(1, MOST_ARRIVALS - 1) }, (_, event) => ({
    event,
    kind: random.pick<Kind>(['begin', 'end', 'both']),
    seconds: -random.int(1, random.chance(0.7) ? 9 : MOST_SECONDS_AGO),
    thing: random.chance(0.8) ? 0 : 1,
  }));
  const doubled = random.chance(0.4) ? [random.pick(events)] : [];
  const arrivals = [...events, ...doubled]
    .map((arrival) => ({ arrival, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ arrival }) => arrival);
  return { trigger: triggerOf(random), arrivals };
}

function triggerOf(random: Random): HistoryTrigger {
  if (random.chance(0.75)) return eventTrigger(random);
  const triggers = Array.from({ length: random.int(2, 3) }, () => reactive(random));
  const within = random.pick([null, 60]);
  if (random.chance(0.5)) return { type: 'sequence', within, triggers };
  const require = random.pick<number | 'any' | 'all'>(['any', 'all', 1, 2]);
  return { type: 'compound', require, within, triggers };
}

function eventTrigger(random: Random): HistoryTrigger {
  if (random.chance(0.4)) return reactive(random);
  return {
    type: 'event',
    posture: 'Proactive',
    ...names(random),
    // Without it, the clock opens the windows, at another moment on each server.
    forEach: true,
    threshold: random.int(1, 3),
    within: PROACTIVE_SECONDS,
  };
}

function reactive(random: Random): HistoryTrigger {
  return {
    type: 'event',
    posture: 'Reactive',
    ...names(random),
    forEach: random.chance(0.5),
    threshold: random.int(1, 3),
    within: random.pick([0, 3, 10]),
  };
}

/** `both` opens and counts where it is in both lists, as a heartbeat does. */
function names(random: Random): { after: readonly Kind[]; expect: readonly Kind[] } {
  return random.pick<{ after: readonly Kind[]; expect: readonly Kind[] }>([
    { after: [], expect: ['end'] },
    { after: [], expect: ['end', 'both'] },
    { after: ['begin'], expect: ['end'] },
    { after: ['begin', 'both'], expect: ['both', 'end'] },
    { after: ['both'], expect: ['both', 'end'] },
    { after: ['both'], expect: ['both'] },
  ]);
}
