import type { HttpStep } from './generate/step.ts';
import { type Side, sides } from './generate/symbols.ts';
import type { Answer, HttpClient, Request } from './wire/http-client.ts';
import {
  isParsedObject,
  NumberText,
  objectsIn,
  type Parsed,
  type ParsedObject,
  printJson,
  readJson,
} from './wire/json-text.ts';

/** The longest time for which a lease may be renewed. */
const LEASE_SECONDS = 86_400;
const LEASE_IN_ANSWER = /"(?:deployment_concurrency_)?lease_id":"([0-9a-f-]{36})"/g;
const RENEWED_LEASE = /^\/v2\/concurrency_limits\/leases\/([0-9a-f-]{36})\/renew$/;
const CHANGE_OF_RUN = /^\/flow_runs\/(?:([0-9a-f-]{36})(?:\/set_state)?|bulk_set_state|bulk_delete)$/;
const HOLDING = ['PENDING', 'RUNNING', 'CANCELLING'];
const JSON_BODY = { 'content-type': 'application/json' };

/** A run on the reference in a state that holds a slot of its deployment, without a lease. */
interface SlotlessRun {
  readonly id: string;
  readonly deployment: string;
}

/**
 * Keeps the slots of the two servers equal where they count them differently: here a slot is a lease that ends, on the
 * reference a number that goes up and down. Answers about slots are still compared.
 */
export class Slots {
  readonly #clients: Record<Side, HttpClient>;
  readonly #counterpart: (referenceId: string) => string | undefined;

  constructor(clients: Record<Side, HttpClient>, counterpart: (referenceId: string) => string | undefined) {
    this.#clients = clients;
    this.#counterpart = counterpart;
  }

  /**
   * Renews every lease that an answer names, as a client does: a lease that expires frees its slots at once here, and
   * on the reference only when its service checks.
   */
  async renewLeases(step: HttpStep, answers: Record<Side, Answer>, requests: Record<Side, Request>): Promise<void> {
    if (step.rows) return;
    const body = `{"lease_duration":${LEASE_SECONDS}}`;
    const renewAll = async (side: Side) => {
      const named = [...answers[side].text.matchAll(LEASE_IN_ANSWER)].map(([, id]) => id);
      const renewed = RENEWED_LEASE.exec(requests[side].path)?.[1];
      for (const id of new Set([...named, ...(renewed ? [renewed] : [])])) {
        const path = `/v2/concurrency_limits/leases/${id}/renew`;
        await this.#clients[side].send({ method: 'POST', path, headers: JSON_BODY, body });
      }
    };
    await Promise.all(sides.map(renewAll));
  }

  /** The runs that a request is about to change, for which the reference would free a slot that they never took. */
  async slotlessRuns(request: Request): Promise<readonly SlotlessRun[]> {
    const change = request.method === 'GET' ? null : CHANGE_OF_RUN.exec(request.path);
    if (!change) return [];
    const ids = change[1] ? [change[1]] : await this.#idsMeantBy(request);
    const runs = await Promise.all(ids.map((id) => this.#slotless(id)));
    return runs.filter((run) => run !== undefined);
  }

  /** The runs that a bulk change selects by its filter, as the reference finds them. */
  async #idsMeantBy({ body }: Request): Promise<string[]> {
    const sent = typeof body === 'string' ? parsed(body) : undefined;
    if (!isParsedObject(sent) || !isParsedObject(sent.flow_runs)) return [];
    const filter = `{"flow_runs":${printJson(sent.flow_runs)}}`;
    const path = '/flow_runs/filter';
    const found = await this.#clients.reference.send({ method: 'POST', path, headers: JSON_BODY, body: filter });
    return objectsIn(found.status === 200 ? (parsed(found.text) ?? null) : null).map(({ id }) => String(id));
  }

  /** Sets the reference's count to ours for the deployments whose runs freed slots that they never took. */
  async restore(runs: readonly SlotlessRun[]): Promise<void> {
    for (const { id, deployment } of runs) {
      if ((await this.#slotless(id)) !== undefined) continue;
      const paths = { reference: limitOf(deployment), ours: limitOf(this.#counterpart(deployment) ?? '') };
      const limit = readBody(await this.#clients.ours.get(paths.ours));
      if (!(limit?.active_slots instanceof NumberText)) continue;
      await this.#setSlots(paths, limit.active_slots.value);
    }
  }

  /**
   * Sets the reference's count to ours for the limits of an answer that kept slots while they were off: once active
   * again, they would lack them.
   */
  async release(answers: Record<Side, Answer>): Promise<void> {
    for (const { name, slots } of slotsKeptByLimitsThatAreOff(answers)) {
      const path = `/v2/concurrency_limits/${encodeURIComponent(name)}`;
      await this.#setSlots({ reference: path, ours: path }, slots);
    }
  }

  /** On both, so that both were changed at the same moment. */
  async #setSlots(paths: Record<Side, string>, slots: number): Promise<void> {
    const body = JSON.stringify({ active_slots: slots });
    const set = (side: Side) =>
      this.#clients[side].send({ method: 'PATCH', path: paths[side], headers: JSON_BODY, body });
    await Promise.all(sides.map(set));
  }

  async #slotless(id: string): Promise<SlotlessRun | undefined> {
    const run = readBody(await this.#clients.reference.get(`/flow_runs/${id}`));
    if (typeof run?.deployment_id !== 'string' || !HOLDING.includes(String(run.state_type))) return undefined;
    const details = isParsedObject(run.state) ? run.state.state_details : undefined;
    if (isParsedObject(details) && details.deployment_concurrency_lease_id !== null) return undefined;
    return { id, deployment: run.deployment_id };
  }
}

/**
 * The name and the used slots here of inactive limits with more used slots on the reference. Empty when the limits also
 * differ otherwise.
 */
export function slotsKeptByLimitsThatAreOff(answers: Record<Side, Answer>): readonly { name: string; slots: number }[] {
  const [there = [], here = []] = sides.map((side) => {
    const answer = parsed(answers[side].text);
    return (Array.isArray(answer) ? answer : [answer]).filter(isParsedObject);
  });
  const inUse = ({ active_slots }: ParsedObject) => Number(printJson(active_slots ?? null));
  const slotsHere = new Map(here.map((limit) => [limit.name, inUse(limit)]));
  const others = there.filter((limit) => slotsHere.has(limit.name) && slotsHere.get(limit.name) !== inUse(limit));
  const kept = others.map((limit) => ({ limit, name: String(limit.name), slots: slotsHere.get(limit.name) as number }));
  return kept.every(({ limit, slots }) => limit.active === false && inUse(limit) > slots) ? kept : [];
}

function limitOf(deployment: string): string {
  return `/v2/concurrency_limits/deployment:${deployment}`;
}

function parsed(text: string): Parsed | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function readBody({ status, text }: Answer): ParsedObject | undefined {
  const body = status === 200 ? parsed(text) : undefined;
  return isParsedObject(body) ? body : undefined;
}
