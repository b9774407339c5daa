/** What `/events/out` sends of events that arrive in any order, late and twice. */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../../src/values/id.ts';
import { clientEvent } from '../../support/events.ts';
import { SocketClient } from '../../support/socket-client.ts';
import type { Random } from '../generate/random.ts';
import { type ArrivalOutcome, post, type ServerUrls } from './servers.ts';

const HISTORIES = 40;
const EVENTS = 4;
/** Both servers have sent all by then. */
const OUTCOME_MILLISECONDS = 5000;

export async function compareStreams({ ours, reference }: ServerUrls, random: Random): Promise<ArrivalOutcome> {
  const tag = `streams.${newId()}`;
  const histories = Array.from({ length: HISTORIES }, (_, index) => {
    const events = Array.from({ length: EVENTS }, (_, number) =>
      clientEvent({
        event: `${tag}.${index}`,
        occurred: new Date(Date.now() - 1000 * (number + random.int(0, 900))).toISOString(),
      }),
    );
    return [...random.sample(events, EVENTS), ...(random.chance(0.4) ? [random.pick(events)] : [])];
  });
  const [here, there] = await Promise.all(
    [ours, reference].map(async (url) => {
      const socket = new SocketClient(`${url.replace('http', 'ws')}/events/out`, ['prefect']);
      await new Promise((resolve) => socket.socket.once('open', resolve));
      socket.send({ type: 'auth', token: null });
      await socket.next();
      socket.send({ type: 'filter', filter: { event: { prefix: [tag] } } });
      await delay(OUTCOME_MILLISECONDS);
      for (let turn = 0; turn <= EVENTS; turn++) {
        for (const arrivals of histories) if (arrivals[turn]) await post(url, '/events', [arrivals[turn]]);
      }
      await delay(OUTCOME_MILLISECONDS);
      const received = socket.unread.map((frame) => JSON.parse(frame).event as { event: string; id: string });
      socket.close();
      return histories.map((_, index) =>
        received.filter(({ event }) => event === `${tag}.${index}`).map(({ id }) => id),
      );
    }),
  );
  const differences = histories.flatMap((arrivals, index) => {
    const number = (id: string) => arrivals.findIndex((event) => event.id === id);
    const found = { ours: here![index]!.map(number), reference: there![index]!.map(number) };
    return isDeepStrictEqual(found.ours, found.reference)
      ? []
      : [{ arrivals: arrivals.map(({ id }) => number(id)), ...found }];
  });
  return { compared: histories.length, differences };
}
