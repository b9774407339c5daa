/** What a trigger would have done with the events that are stored. */
import type { Context } from '../../context.ts';
import { criteriaOf } from '../../events/criteria.ts';
import type { StoredEvent } from '../../events/hub.ts';
import { type EventPosition, listEvents } from '../../events/queries.ts';
import type { Resource } from '../../events/received-event.ts';
import { parseJson } from '../../json.ts';
import { microsecondsOf, type Timestamp, timestampFromMicroseconds } from '../../time.ts';
import type { Trigger } from '../automations/trigger-schema.ts';
import { expectedNames, Replay } from '../automations/triggers/replay.ts';
import { MOST_EVENTS, MOST_FIRINGS } from './dry-run-schema.ts';

/** Other requests have their turn between two pages. */
const PAGE_SIZE = 200;
const MOST_SHOWN = 50;
const INTERVALS = 60;

interface SeenEvent {
  readonly id: string;
  readonly occurred: Timestamp;
  readonly event: string;
  readonly resource: Resource;
}

export async function dryRun(context: Context, trigger: Trigger, since: Timestamp, asked: Timestamp) {
  const replay = new Replay(trigger, microsecondsOf(since));
  const names = expectedNames(trigger);
  const criteria = criteriaOf(
    { occurred: { since, until: asked }, order: 'ASC', ...(names ? { event: names } : {}) },
    context.now,
  );
  const matched = new Map<string, SeenEvent>();
  let after: EventPosition | null = null;
  let count = 0;
  let isComplete = true;
  for (;;) {
    const page: readonly StoredEvent[] = await listEvents(context.db, criteria, PAGE_SIZE, after);
    for (const row of page) {
      const event = seenEvent(row);
      const related = parseJson(row.related) as readonly Resource[];
      const isMatch = replay.observe({
        id: row.id,
        occurred: microsecondsOf(row.occurred),
        name: row.event,
        resource: event.resource,
        related,
      });
      if (isMatch) matched.set(row.id, event);
    }
    after = page.at(-1) ?? after;
    count += page.length;
    if (page.length < PAGE_SIZE) break;
    if (count >= MOST_EVENTS || replay.firings.length >= MOST_FIRINGS) {
      isComplete = false;
      break;
    }
  }
  if (isComplete) replay.passTime(microsecondsOf(asked), MOST_FIRINGS);
  isComplete &&= replay.firings.length < MOST_FIRINGS;
  const until = isComplete ? asked : lastTime(replay, after, since);
  return { since, until, is_complete: isComplete, ...summary(replay, matched, since, until) };
}

function seenEvent({ id, occurred, event, resource }: StoredEvent): SeenEvent {
  return { id, occurred, event, resource: parseJson(resource) as Resource };
}

function lastTime({ firings }: Replay, after: EventPosition | null, since: Timestamp): Timestamp {
  const fired = firings.at(-1)?.triggered;
  const times = [since, after?.occurred, fired === undefined ? undefined : timestampFromMicroseconds(fired)];
  // Timestamps sort as text.
  return (
    times
      .filter((time) => time !== undefined)
      .toSorted()
      .at(-1) ?? since
  );
}

function summary({ firings }: Replay, matched: ReadonlyMap<string, SeenEvent>, since: Timestamp, until: Timestamp) {
  const start = microsecondsOf(since);
  const length = Math.max(1, Math.ceil((microsecondsOf(until) - start) / INTERVALS));
  const history = Array.from({ length: INTERVALS }, (_, index) => ({
    start: timestampFromMicroseconds(start + index * length),
    matched: 0,
    fired: 0,
  }));
  const intervalOf = (time: number) =>
    history[Math.max(0, Math.min(INTERVALS - 1, Math.floor((time - start) / length)))]!;
  for (const { occurred } of matched.values()) intervalOf(microsecondsOf(occurred)).matched++;
  for (const { triggered } of firings) intervalOf(triggered).fired++;
  return {
    matched: matched.size,
    fired: firings.length,
    history,
    events: [...matched.values()].slice(-MOST_SHOWN).reverse(),
    firings: firings
      .slice(-MOST_SHOWN)
      .reverse()
      .map(({ triggered, labels, eventId }) => ({
        triggered: timestampFromMicroseconds(triggered),
        labels: { ...labels },
        event: (eventId !== null && matched.get(eventId)) || null,
      })),
  };
}
