/** Helpers for tests of automations: create one, send events, advance the test's clock, and read the actions. */
import assert from 'node:assert/strict';
import { Triggers } from '../../src/services/triggers.ts';
import { addSeconds, systemClock, type Timestamp } from '../../src/values/time.ts';
import { clientEvent, type EventOptions } from './events.ts';
import type { TestServer } from './server.ts';

export type Body = Record<string, unknown>;

export const reactive = (trigger: Body): Body => ({ type: 'event', posture: 'Reactive', ...trigger });
export const proactive = (trigger: Body): Body => ({ type: 'event', posture: 'Proactive', within: 10, ...trigger });

/** The server is read late: a suite starts it before its tests. */
export function triggerWorld(given: { readonly server: () => TestServer }) {
  let count = 0;
  /** Times are seconds from here. */
  let base: Timestamp = systemClock.now();

  const at = (seconds: number) => addSeconds(base, seconds);

  /** Event names and automations of one test share a unique prefix. */
  function begin() {
    base = systemClock.now();
    const prefix = `t${count++}`;
    const name = (word: string) => (word.includes('*') ? word : `${prefix}.${word}`);
    const send = async (word: string, seconds: number, event: EventOptions & { follows?: string } = {}) => {
      const sent = clientEvent({ event: name(word), occurred: at(seconds), ...event });
      const answer = await given.server().post('/events', [sent]);
      assert.equal(answer.status, 204, answer.text);
      return sent.id;
    };
    const automate = async (trigger: Body, more: Body = {}) => {
      const answer = await given.server().post('/automations/', {
        name: prefix,
        trigger,
        actions: [{ type: 'do-nothing' }],
        ...more,
      });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    return { name, send, automate };
  }

  const triggers = new Triggers();
  /** Runs the trigger service until nothing is left to do, at a time that the test chooses. */
  async function pass(seconds = 0): Promise<void> {
    for (let round = 0; await triggers.runOnce(given.server().context(at(seconds))); round++) assert.ok(round < 100);
  }

  async function firingsOf(automation: { id: string }): Promise<{ event: string | null; labels: Body }[]> {
    const { body } = await given.server().post('/events/filter', {
      filter: {
        event: { name: ['prefect.automation.triggered'] },
        resource: { id: [`prefect.automation.${automation.id}`] },
        occurred: { until: addSeconds(base, 1_000_000) },
        order: 'ASC',
      },
    });
    return body.events.map(({ payload }: { payload: Body }) => ({
      event: (payload['triggering_event'] as { id: string } | null)?.id ?? null,
      labels: payload['triggering_labels'],
    }));
  }

  async function firedBy(automation: { id: string }): Promise<(string | null)[]> {
    return (await firingsOf(automation)).map(({ event }) => event);
  }

  async function actionsOf(automation: { id: string }): Promise<Body[]> {
    const rows = await given
      .server()
      .server.store.transaction(given.server().server.defaultWorkspace, (tx) =>
        tx.query(tx.dialect.builder.selectFrom('automation_action').selectAll().where('workspace', '=', tx.workspace)),
      );
    return rows.filter(({ automation_id }) => automation_id === automation.id).map((row) => ({ ...row }));
  }

  return { at, begin, pass, firingsOf, firedBy, actionsOf };
}
