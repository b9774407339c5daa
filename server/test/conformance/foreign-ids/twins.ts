/**
 * Two tenants that differ only in their ids send the same requests at the same time: one with ids of a third tenant,
 * the other with ids that do not exist. Any difference between their answers is a leak.
 */
import type { Answer } from '../../support/server.ts';
import type { World } from '../../support/worlds.ts';

export interface Difference {
  readonly request: string;
  readonly foreign: string;
  readonly unknown: string;
}

/** Headers that never repeat. */
const UNLIKE_HEADERS = new Set(['date', 'x-request-id', 'content-length', 'etag']);
/** Names of the twins themselves. */
const TWINS = /(first|second)-twin/g;
const UUID = /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gi;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?/g;
/** Seconds that pass while a run is late or running. */
const MEASURED = /-?\d+\.\d+(e-?\d+)?/g;
const SECRETS =
  /sbh_\w{4,49}…?|page-token=[\w-]+|"(secret|token|url|nextCursor|csrfToken|\w+_code|verification_uri\w*)":"[^"]*"/g;

export class Twins {
  readonly differences: Difference[] = [];
  asked = 0;
  /** Number of requests refused as malformed: such a request proves nothing. */
  refusedAsMalformed = 0;
  readonly #first: World;
  readonly #second: World;
  /** Ids and texts of the third tenant, each with a nonexistent one to replace it. */
  readonly #stranger: ReadonlyMap<string, string>;
  readonly #named: RegExp;

  constructor(first: World, second: World, stranger: World) {
    this.#first = first;
    this.#second = second;
    this.#stranger = absentNamesOf(stranger);
    // Longer ones first, because some contain others.
    const named = [...this.#stranger].flat().sort((left, right) => right.length - left.length);
    this.#named = new RegExp(named.join('|'), 'g');
  }

  /** `path` and `body` are made from the objects of the caller; `named` is the requested id or text, or several. */
  async ask(
    method: string,
    pathFor: (world: World, named: string) => string,
    bodyFor: (world: World, named: unknown) => unknown,
    named: string | readonly string[],
  ): Promise<void> {
    const absent = typeof named === 'string' ? this.#absent(named) : named.map((value) => this.#absent(value));
    const ask = (world: World, value: unknown) =>
      world.send(method, pathFor(world, String(value)), bodyFor(world, value));
    const [foreign, unknown] = await Promise.all([ask(this.#first, named), ask(this.#second, absent)]);
    this.asked += 1;
    if (foreign.status === 422) this.refusedAsMalformed += 1;
    const [left, right] = [this.#masked(foreign), this.#masked(unknown)];
    if (left === right || sortedRows(left) === sortedRows(right)) return;
    const request = `${method} ${pathFor(this.#first, String(named))} ${JSON.stringify(bodyFor(this.#first, named)) ?? ''}`;
    this.differences.push({
      request: request.slice(0, 400),
      foreign: left.slice(0, 600),
      unknown: right.slice(0, 600),
    });
  }

  #absent(value: string): string {
    return this.#stranger.get(value) ?? value;
  }

  #masked({ status, headers, text }: Answer): string {
    const shown = Object.entries(headers).filter(([name]) => !UNLIKE_HEADERS.has(name));
    return `${status} ${JSON.stringify(shown)} ${text}`
      .replaceAll(this.#named, '<named>')
      .replaceAll(TWINS, '<twin>')
      .replaceAll(UUID, '<id>')
      .replaceAll(TIME, '<time>')
      .replaceAll(MEASURED, '<seconds>')
      .replaceAll(SECRETS, '<secret>');
  }
}

const absentNames = new WeakMap<World, ReadonlyMap<string, string>>();

/** The same for all requests about one stranger: the audit shows later what an earlier request named. */
function absentNamesOf(stranger: World): ReadonlyMap<string, string> {
  const known = absentNames.get(stranger);
  if (known) return known;
  const ids = new Map(stranger.ids.map((id) => [id, id.slice(0, -6) + crypto.randomUUID().slice(-6)]));
  const texts = stranger.texts.map((text) => [text, likeNobodys(text, ids)] as const);
  const made = new Map([...texts, ...ids]);
  absentNames.set(stranger, made);
  return made;
}

/** Rows of one rank come in the order of their random ids. */
function sortedRows(answer: string): string {
  return answer
    .slice(0, -1)
    .split(/(?<=[}[]),?(?=\{)/)
    .sort()
    .join();
}

/** A text of the same form that names no object: another mark, another checksum, a nonexistent id. */
function likeNobodys(text: string, ids: ReadonlyMap<string, string>): string {
  if (text.startsWith('sha256:')) return `sha256:${crypto.randomUUID().replaceAll('-', '').repeat(2)}`;
  return text.replace(/^red/, 'rez').replaceAll(UUID, (id) => ids.get(id) ?? id);
}
