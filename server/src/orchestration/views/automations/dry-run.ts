/** Simulates a trigger on the stored events. */

import type { StoredEvent } from '../../../changes/hub.ts';
import type { Context } from '../../../context/context.ts';
import { leavingLargeValues, readLargeValue, splitAtLargeValues } from '../../../database/lists/large-values.ts';
import type { Db } from '../../../database/store.ts';
import { Unprocessable } from '../../../errors.ts';
import { criteriaOf } from '../../../events/criteria.ts';
import { type EventPosition, listEvents } from '../../../events/queries.ts';
import type { Resource } from '../../../events/received-event.ts';
import { MeasuredWork } from '../../../fairness/turns.ts';
import { type JsonText, jsonTextOf, parseJson } from '../../../values/json.ts';
import { microsecondsOf, type Timestamp, timestampFromMicroseconds } from '../../../values/time.ts';
import type { EventTrigger, Trigger } from '../../automations/trigger-schema.ts';
import { SUBFLOW_LABEL } from '../../automations/triggers/compile.ts';
import { expectedNames, Replay } from '../../automations/triggers/replay.ts';
import { countFailuresByName } from '../../why/failures.ts';
import { MOST_EVENTS, MOST_FIRINGS } from './dry-run-schema.ts';

const PAGE_SIZE = 200;
const MOST_SHOWN = 50;
const INTERVALS = 60;
const MOST_MISSED = 10;
/** Characters of a trigger: a replay compares every event with the whole trigger. */
const MAX_TRIGGER_LENGTH = 64 * 1024;
const MOST_MILLISECONDS = 3000;

interface SeenEvent {
  readonly id: string;
  readonly occurred: Timestamp;
  readonly event: string;
  readonly resource: Resource;
}

/**
 * Lets other requests run in between, and stops early after a time limit. Throws Unprocessable for a trigger that is
 * too long.
 */
export async function dryRun(context: Context, trigger: Trigger, since: Timestamp, asked: Timestamp) {
  if (jsonTextOf(trigger).length > MAX_TRIGGER_LENGTH) {
    throw new Unprocessable(`The trigger is longer than ${MAX_TRIGGER_LENGTH} characters.`);
  }
  const work = new MeasuredWork(() => context.server.clock.elapsed());
  const limits = { work, mostFirings: MOST_FIRINGS, mostMilliseconds: MOST_MILLISECONDS };
  const replay = new Replay(trigger, microsecondsOf(since), limits);
  const names = expectedNames(trigger);
  const occurred = { since, until: asked };
  const criteria = criteriaOf({ occurred, order: 'ASC', ...(names ? { event: names } : {}) }, context.now);
  const db = leavingLargeValues(context.db);
  /** Times of the matching events in microseconds, by event id. */
  const matched = new Map<string, number>();
  let after: EventPosition | null = null;
  let count = 0;
  let isComplete = false;
  while (!isComplete && count < MOST_EVENTS && !replay.isOver) {
    const page: readonly StoredEvent[] = await work.outside(listEvents(db, criteria, PAGE_SIZE, after));
    for (const row of page) {
      const event = {
        id: row.id,
        occurred: microsecondsOf(row.occurred),
        name: row.event,
        resource: parseJson(await work.outside(wholeText(context.db, row.resource))) as Resource,
        related: parseJson(await work.outside(wholeText(context.db, row.related))) as readonly Resource[],
      };
      if (await replay.observe(event)) matched.set(event.id, event.occurred);
      if (replay.isOver) break;
      after = row;
    }
    count += page.length;
    isComplete = page.length < PAGE_SIZE && !replay.isOver;
  }
  if (isComplete) await replay.passTime(microsecondsOf(asked));
  isComplete &&= !replay.isOver;
  const until = isComplete ? asked : lastTime(replay, after, since);
  const events = await work.outside(findShown(context, replay, [...matched.keys()], occurred));
  const missed = await work.outside(findMissed(context.db, trigger, { since, until }));
  return { since, until, is_complete: isComplete, missed, ...summary(replay, matched, events, since, until) };
}

const FLOW_RUN = 'prefect.flow-run.';

/** Failures of flow runs that a trigger does not see, if it waits for failures under some of their names. */
async function findMissed(db: Db, trigger: Trigger, span: Parameters<typeof countFailuresByName>[1]) {
  if (trigger.type !== 'event' || trigger.posture !== 'Reactive' || isNarrowed(trigger)) return [];
  const expected = new Set(trigger.expect);
  const isExpected = ({ state_name }: { readonly state_name: string }) => expected.has(FLOW_RUN + state_name);
  if (!['Failed', 'Crashed', 'TimedOut'].some((state_name) => isExpected({ state_name }))) return [];
  const failures = await countFailuresByName(db, span, trigger.match[SUBFLOW_LABEL] !== undefined);
  return failures.filter((failure) => !isExpected(failure)).slice(0, MOST_MISSED);
}

/** True for a trigger that waits for some flows, deployments or tags only: the failures of others are not missed. */
function isNarrowed({ expect, match, match_related }: EventTrigger): boolean {
  const related = Array.isArray(match_related) ? match_related : [match_related];
  const id = match['prefect.resource.id'];
  return (
    expect.some((name) => name.includes('*')) ||
    ![undefined, 'no'].includes(match[SUBFLOW_LABEL]?.toString()) ||
    related.some((labels) => Object.keys(labels).length > 0) ||
    (id !== undefined && String(id) !== `${FLOW_RUN}*`) ||
    Object.keys(match).some((label) => label !== 'prefect.resource.id' && label !== SUBFLOW_LABEL)
  );
}

/** Reads a JSON column that a list may omit. */
function wholeText(db: Db, json: JsonText): Promise<string> {
  const [part] = splitAtLargeValues(json);
  if (part === undefined || typeof part === 'string') return Promise.resolve(json);
  return readLargeValue(db, part).then((text) => text ?? 'null');
}

/** The latest matching events, and those of the latest firings. For a large resource only its id is shown. */
async function findShown(
  context: Context,
  { firings }: Replay,
  matched: readonly string[],
  occurred: { readonly since: Timestamp; readonly until: Timestamp },
): Promise<Map<string, SeenEvent>> {
  const fired = firings.slice(-MOST_SHOWN).flatMap(({ eventId }) => eventId ?? []);
  const id = [...new Set([...matched.slice(-MOST_SHOWN), ...fired])];
  if (id.length === 0) return new Map();
  const criteria = criteriaOf({ occurred, order: 'ASC', id: { id } }, context.now);
  const rows = await listEvents(leavingLargeValues(context.db), criteria, id.length);
  return new Map(rows.map((row) => [row.id, seenEvent(row)]));
}

function seenEvent({ id, occurred, event, resource, resource_id }: StoredEvent): SeenEvent {
  const isWhole = splitAtLargeValues(resource).every((part) => typeof part === 'string');
  return {
    id,
    occurred,
    event,
    resource: isWhole ? (parseJson(resource) as Resource) : { 'prefect.resource.id': resource_id },
  };
}

function lastTime({ firings }: Replay, after: EventPosition | null, since: Timestamp): Timestamp {
  const fired = firings.at(-1)?.triggered;
  const times = [since, after?.occurred, fired === undefined ? undefined : timestampFromMicroseconds(fired)];
  // Timestamps sort like text.
  return (
    times
      .filter((time) => time !== undefined)
      .toSorted()
      .at(-1) ?? since
  );
}

function summary(
  { firings }: Replay,
  matched: ReadonlyMap<string, number>,
  shown: ReadonlyMap<string, SeenEvent>,
  since: Timestamp,
  until: Timestamp,
) {
  const start = microsecondsOf(since);
  const length = Math.max(1, Math.ceil((microsecondsOf(until) - start) / INTERVALS));
  const history = Array.from({ length: INTERVALS }, (_, index) => ({
    start: timestampFromMicroseconds(start + index * length),
    matched: 0,
    fired: 0,
  }));
  const intervalOf = (time: number) =>
    history[Math.max(0, Math.min(INTERVALS - 1, Math.floor((time - start) / length)))]!;
  for (const occurred of matched.values()) intervalOf(occurred).matched++;
  for (const { triggered } of firings) intervalOf(triggered).fired++;
  return {
    matched: matched.size,
    fired: firings.length,
    history,
    events: [...matched.keys()]
      .slice(-MOST_SHOWN)
      .reverse()
      .flatMap((id) => shown.get(id) ?? []),
    firings: firings
      .slice(-MOST_SHOWN)
      .reverse()
      .map(({ triggered, labels, eventId }) => ({
        triggered: timestampFromMicroseconds(triggered),
        labels: { ...labels },
        event: (eventId !== null && shown.get(eventId)) || null,
      })),
  };
}
