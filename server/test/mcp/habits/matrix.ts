/**
 * Every habit of clients in every revision, at each server and through each kind of server of the gateway. The answer of the
 * server itself, in the same run, says what is right: what works directly works through the gateway.
 */
import { CLIENT_INFO, differenceOf, type HabitClient, type Heard, heard, type Side, send, works } from './exchange.ts';
import { HABITS, type Habit, type Peer } from './habits.ts';

const SESSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const STATELESS = '2026-07-28';

export interface Counts {
  cells: number;
  /** They work directly and through the gateway. */
  work: number;
  /** They do not work directly; through the gateway `better` of them do. */
  refused: number;
  better: number;
  /** They differ for a reason that is listed. */
  listed: number;
  readonly differences: string[];
}

/** Where the gateway decides otherwise, and why. */
interface Listed {
  readonly habit: RegExp;
  readonly kinds?: readonly string[];
  readonly revisions?: RegExp;
  readonly reason: string;
}

const LISTED: readonly Listed[] = [
  {
    habit: /^a batch of nothing$/,
    reason: 'An empty batch is no valid request (JSON-RPC 2.0, "Batch"), which one SDK of three passes over.',
  },
  {
    habit: /^a call of no tool$/,
    kinds: ['remix'],
    reason: 'The protocol has an error for a tool that nobody offers; servers of the SDKs answer with a failed result.',
  },
  {
    habit: /^the id is a fraction$/,
    kinds: ['remix'],
    reason: 'A remix reaches a server statelessly where it can, and servers of the SDKs take whole numbers there.',
  },
];

/** Nothing came within the time of a client, or the connection broke. */
const UNANSWERED: Heard = { status: 599, answers: [], notices: [] };

type Played = readonly Heard[] | undefined;

/** Plays all habits at the server itself, for all kinds to be compared with. */
export class Matrix {
  readonly #peer: Peer;
  readonly #direct: Map<string, Promise<Played>> = new Map();
  readonly #side: Side;

  constructor(peer: Peer, url: string) {
    this.#peer = peer;
    this.#side = { url, authorization: {} };
  }

  async compare(kind: string, side: Side): Promise<Counts> {
    const counts: Counts = { cells: 0, work: 0, refused: 0, better: 0, listed: 0, differences: [] };
    for (const revision of [...SESSIONS, STATELESS]) {
      const shared = new Map<Side, Promise<HabitClient | undefined>>();
      for (const habit of HABITS) {
        if (habit.needsSession && revision === STATELESS) continue;
        const key = `${revision} ${habit.name}`;
        if (!this.#direct.has(key)) this.#direct.set(key, this.#play(this.#side, revision, habit, shared));
        const direct = await this.#direct.get(key);
        if (!direct) continue;
        const through = await this.#play(side, revision, habit, shared);
        counts.cells += 1;
        note(counts, { kind, revision, habit }, direct, through);
      }
      for (const client of shared.values()) await leave(await client);
    }
    return counts;
  }

  /** Undefined where the server has no such revision. */
  async #play(
    side: Side,
    revision: string,
    habit: Habit,
    shared: Map<Side, Promise<HabitClient | undefined>>,
  ): Promise<Played> {
    if (!shared.has(side)) shared.set(side, connect(side, revision));
    const client = await (habit.isAlone ? connect(side, revision) : shared.get(side));
    if (!client) return undefined;
    try {
      return [await habit.play(client, this.#peer)].flat();
    } catch {
      return [UNANSWERED];
    } finally {
      if (habit.isAlone) await leave(client);
    }
  }
}

interface Cell {
  readonly kind: string;
  readonly revision: string;
  readonly habit: Habit;
}

function note(counts: Counts, cell: Cell, direct: readonly Heard[], through: Played): void {
  const { kind, revision, habit } = cell;
  const difference = through
    ? direct.map((one, index) => differenceOf(one, through[index] ?? UNANSWERED)).find((text) => text !== undefined)
    : 'no session is opened';
  const isListed = LISTED.some(
    ({ habit: name, kinds, revisions }) =>
      name.test(habit.name) && (kinds?.includes(kind) ?? true) && (revisions?.test(revision) ?? true),
  );
  if (difference !== undefined && isListed) counts.listed += 1;
  else if (difference !== undefined) counts.differences.push(`${kind} ${revision} ${habit.name}: ${difference}`);
  else if (direct.every(works)) counts.work += 1;
  else {
    counts.refused += 1;
    if (through?.every(works)) counts.better += 1;
  }
}

/** Ends the session: a hosted program runs for each. */
async function leave(client: HabitClient | undefined): Promise<void> {
  if (!client?.headers['mcp-session-id']) return;
  const answer = await send(client, { method: 'DELETE' }).catch(() => undefined);
  await answer?.body?.cancel();
}

/** Undefined where the server does not speak the revision. */
async function connect(side: Side, revision: string): Promise<HabitClient | undefined> {
  const isStateless = revision === STATELESS;
  const headers: Record<string, string> = isStateless ? { 'mcp-protocol-version': revision } : {};
  const client: HabitClient = { side, revision, isStateless, headers };
  if (isStateless) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    };
    const body = { jsonrpc: '2.0', id: 0, method: 'server/discover', params: { _meta } };
    const answer = await heard(await send(client, { body, headers: { 'mcp-method': 'server/discover' } }));
    return works(answer) ? client : undefined;
  }
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT_INFO };
  const answer = await send(client, { body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
  const session = answer.headers.get('mcp-session-id');
  const { answers } = await heard(answer);
  const version = answers[0]?.result;
  if (typeof version !== 'string') return undefined;
  if (session !== null) headers['mcp-session-id'] = session;
  headers['mcp-protocol-version'] = version;
  await (await send(client, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).body?.cancel();
  return client;
}
