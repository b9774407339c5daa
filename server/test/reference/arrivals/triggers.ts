/**
 * Sends the same small histories of events to both servers, in the same order of arrival, and compares which firings follow
 * and which events they name.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../src/values/id.ts';
import { Random } from '../generate/random.ts';
import { type Arrival, type History, type HistoryTrigger, historyOf, MOST_ARRIVALS } from './histories.ts';
import { type ArrivalOutcome, post, type ServerUrls } from './servers.ts';

/** Histories that are sent together: as many as the reference evaluates in the time between two arrivals. */
const TOGETHER = 60;
/** Both servers have looked at new triggers once by then, and do so again only after a whole window. */
const FIRST_LOOK_SECONDS = 8;
const BETWEEN_ARRIVALS_SECONDS = 2;
/** From the first arrival until the last window is over and was looked at, and before one that follows it is. */
const OUTCOME_SECONDS = 42;

interface FiringDifference {
  readonly history: History;
  /** What each firing names: an event by its number, or null. */
  readonly ours: readonly (number | null)[];
  readonly reference: readonly (number | null)[];
}

interface Server {
  readonly url: string;
  readonly automations: string[];
}

export async function compareTriggers(urls: ServerUrls, seed: string, batches: number): Promise<ArrivalOutcome> {
  const random = new Random(seed);
  const differences: FiringDifference[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const histories = Array.from({ length: TOGETHER }, () => historyOf(random));
    const [ours, reference] = await outcomesOf([urls.ours, urls.reference], histories);
    for (const [index, history] of histories.entries()) {
      const found = { history, ours: ours?.[index] ?? [], reference: reference?.[index] ?? [] };
      if (JSON.stringify(found.ours) !== JSON.stringify(found.reference)) differences.push(found);
    }
  }
  return { compared: batches * TOGETHER, differences };
}

/** For each server and history what the firings name, in their order. */
async function outcomesOf(urls: readonly string[], histories: readonly History[]): Promise<(number | null)[][][]> {
  const tag = newId().slice(0, 8);
  const servers: Server[] = urls.map((url) => ({ url, automations: [] }));
  for (const server of servers) {
    for (const [index, { trigger }] of histories.entries()) {
      const prefix = `${tag}.${index}`;
      const body = { name: prefix, actions: [{ type: 'do-nothing' }], trigger: triggerBody(trigger, prefix) };
      server.automations.push((await post(server.url, '/automations/', body)).id);
    }
  }
  await delay(FIRST_LOOK_SECONDS * 1000);
  const begun = Date.now();
  const ids = histories.map(() => Array.from({ length: MOST_ARRIVALS }, newId));
  for (let turn = 0; turn < MOST_ARRIVALS; turn++) {
    const events = histories.flatMap(({ arrivals }, index) => {
      const arrival = arrivals[turn];
      return arrival ? [eventBody(arrival, `${tag}.${index}`, ids[index]?.[arrival.event] ?? '', begun)] : [];
    });
    // Its time is what the servers take for the time of events.
    const now = eventBody(
      { event: 0, kind: 'end', seconds: (Date.now() - begun) / 1000, thing: 0 },
      tag,
      newId(),
      begun,
    );
    await Promise.all(servers.map((server) => post(server.url, '/events', [...events, now])));
    await delay(BETWEEN_ARRIVALS_SECONDS * 1000);
  }
  const end = begun + OUTCOME_SECONDS * 1000;
  await delay(end - Date.now());
  const outcomes: (number | null)[][][] = [];
  for (const server of servers) {
    const named: (number | null)[][] = [];
    for (const [index, automation] of server.automations.entries()) {
      const found = await post(server.url, '/events/filter', {
        limit: 50,
        filter: {
          event: { name: ['prefect.automation.triggered'] },
          resource: { id: [`prefect.automation.${automation}`] },
          // Reading takes a while, in which the next windows end.
          occurred: {
            since: new Date(begun - FIRST_LOOK_SECONDS * 1000).toISOString(),
            until: new Date(end).toISOString(),
          },
          order: 'ASC',
        },
      });
      named.push(
        found.events.map(({ payload }: { payload: { triggering_event: { id: string } | null } }) =>
          payload.triggering_event === null ? null : (ids[index]?.indexOf(payload.triggering_event.id) ?? null),
        ),
      );
    }
    outcomes.push(named);
    for (const automation of server.automations)
      await fetch(`${server.url}/automations/${automation}`, { method: 'DELETE' });
  }
  return outcomes;
}

function triggerBody(trigger: HistoryTrigger, prefix: string): object {
  if (trigger.type !== 'event') {
    const { triggers, ...rest } = trigger;
    return { ...rest, triggers: triggers.map((child) => triggerBody(child, prefix)) };
  }
  const named = (kinds: readonly string[]) => kinds.map((kind) => `${kind}.${prefix}`);
  return {
    type: 'event',
    posture: trigger.posture,
    after: named(trigger.after),
    expect: named(trigger.expect),
    for_each: trigger.forEach ? ['prefect.resource.id'] : [],
    threshold: trigger.threshold,
    within: trigger.within,
  };
}

function eventBody({ kind, seconds, thing }: Arrival, prefix: string, id: string, begun: number): object {
  return {
    id,
    event: `${kind}.${prefix}`,
    occurred: new Date(begun + seconds * 1000).toISOString(),
    resource: { 'prefect.resource.id': `${prefix}.${thing}` },
  };
}
