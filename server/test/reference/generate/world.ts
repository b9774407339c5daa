import { isParsedObject, objectsIn } from '../wire/json-text.ts';
import { Random } from './random.ts';
import type { Bodies, Counterpart } from './step.ts';
import { Handle, Joined, Ref, type Symbolic, type SymbolicObject, Verbatim } from './symbols.ts';

const WORDS = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'] as const;
const TAGS = ['red', 'green', 'blue', 'Ünï', 'two words', 'a,b', '"q"', '100%'] as const;
const HOUR = 3_600_000;
/**
 * Client times keep this distance from the present, so that no answer depends on which server was asked a moment later.
 */
const QUIET_HOURS = 2;

/** The state of the generators: the objects made so far, the random source of the step, the times that may be used. */
export class World {
  readonly seed: string;
  /** Set again for every step, so that a step does not depend on the servers' earlier answers. */
  random: Random;
  /** The start of the hour in which the run began, in milliseconds since 1970. */
  readonly base: number;
  /** A text unique to this run: events cannot be deleted, and it separates those of different runs. */
  readonly mark: string;
  readonly #handles = new Map<string, Handle[]>();
  #counter = 0;

  constructor(seed: string, startMilliseconds: number) {
    this.seed = seed;
    this.random = new Random(seed);
    this.base = Math.floor(startMilliseconds / HOUR) * HOUR;
    this.mark = `compared.${startMilliseconds.toString(36)}`;
  }

  startStep(index: number): void {
    this.random = new Random(`${this.seed}/${index}`);
  }

  // Objects

  /**
   * Remembers an object that both servers have. `bodies` are their answers, from which every text attribute is kept;
   * texts on which both agree are facts. Returns undefined when one of them has no id; an already known object is
   * returned unchanged.
   */
  add(kind: string, bodies: Bodies, facts: Record<string, Symbolic> = {}): Handle | undefined {
    const { reference, ours } = bodies;
    if (!isParsedObject(reference) || !isParsedObject(ours)) return undefined;
    if (typeof reference.id !== 'string' || typeof ours.id !== 'string') return undefined;
    const known = this.#of(kind).find((handle) => handle.value('reference', 'id') === reference.id);
    const handle = known ?? new Handle(kind, textsOf(reference), textsOf(ours));
    for (const [name, text] of Object.entries(textsOf(reference))) {
      if (ours[name] === text) handle.facts[name] = text;
    }
    Object.assign(handle.facts, facts);
    if (!known) this.#of(kind).push(handle);
    return handle;
  }

  /** Like `add`, for each row of two lists that the comparison found to be the same object. */
  addRows(kind: string, bodies: Bodies, counterpart: Counterpart, facts: Record<string, Symbolic> = {}): void {
    const rowsOfOurs = objectsIn(bodies.ours);
    for (const reference of objectsIn(bodies.reference)) {
      const ours = rowsOfOurs.find((row) => row.id === counterpart(String(reference.id)));
      if (ours) this.add(kind, { reference, ours }, facts);
    }
  }

  /** Like `add`, for values that are not JSON objects with an id: a page token, a key. */
  addValues(kind: string, reference: Record<string, string>, ours: Record<string, string>): Handle {
    const handle = new Handle(kind, reference, ours);
    this.#of(kind).push(handle);
    return handle;
  }

  alive(kind: string): Handle[] {
    return this.#of(kind).filter((handle) => handle.alive);
  }

  /** An existing object, or undefined when there is none. Newer ones are preferred a little. */
  some(kind: string, where: (handle: Handle) => boolean = () => true): Handle | undefined {
    const all = this.alive(kind).filter(where);
    if (all.length === 0) return undefined;
    return this.random.pick(this.random.chance(0.3) ? all.slice(-10) : all);
  }

  /** Mostly the id of an existing object; sometimes of a deleted one, or of none. */
  id(kind: string): Symbolic {
    const draw = this.random.next();
    const handle = draw < 0.05 ? undefined : draw < 0.09 ? this.#deleted(kind) : this.some(kind);
    return handle ? new Ref(handle) : this.random.uuid();
  }

  /** Mostly the name (or another text) of an existing object; never a generated one. */
  attribute(kind: string, attribute: string): Symbolic {
    const isShared = (handle: Handle) => typeof handle.facts[attribute] === 'string';
    const handle = this.random.chance(0.06) ? undefined : this.some(kind, isShared);
    return handle ? new Ref(handle, attribute) : this.name('missing');
  }

  // Values

  get words(): readonly string[] {
    return WORDS;
  }

  get tagPool(): readonly string[] {
    return TAGS;
  }

  word(): string {
    return this.random.pick(WORDS);
  }

  /** A name that was never used before, and that no server would generate. */
  name(prefix: string): string {
    this.#counter += 1;
    return `${prefix}-${this.#counter}-${this.word()}`;
  }

  tags(): string[] {
    return this.random.sample(TAGS, this.random.pick([0, 1, 1, 2, 2, 3]));
  }

  labels(): SymbolicObject {
    const pool: SymbolicObject = {
      team: this.word(),
      cost: 3,
      ratio: 1.5,
      whole: new Verbatim('2.0'),
      live: true,
      'a b': '',
    };
    return Object.fromEntries(this.random.sample(Object.entries(pool), this.random.int(0, 3)));
  }

  /** A time by its distance from the present in hours, at full minutes, in one of the notations that clients use. */
  hoursAway(hours: number, notation = this.#notation()): string {
    const instant = new Date(this.base + Math.round(hours * 60) * 60_000);
    const text = instant.toISOString().slice(0, 19);
    if (notation === '+02:00') return `${new Date(instant.getTime() + 2 * HOUR).toISOString().slice(0, 19)}+02:00`;
    return text + notation;
  }

  time(low = -72, high = 72): string {
    for (;;) {
      const hours = low + this.random.next() * (high - low);
      if (Math.abs(hours) >= QUIET_HOURS) return this.hoursAway(hours);
    }
  }

  past(): string {
    return this.time(-72, -QUIET_HOURS);
  }

  future(): string {
    return this.time(QUIET_HOURS, 72);
  }

  /** Any JSON a client may send where the contract allows any value. */
  json(depth = 0): Symbolic {
    const scalars: Symbolic[] = ['', 'text', 'Ünïcödé ☂ 🚂', 0, 7, -3, 2.5, true, false, null];
    scalars.push(new Verbatim('1.0'), new Verbatim('1e5'), new Verbatim('12345678901234567890'), 'line\nbreak\t"q"\\');
    if (depth > 1 || this.random.chance(0.6)) return this.random.pick(scalars);
    if (this.random.chance(0.5)) return Array.from({ length: this.random.int(0, 3) }, () => this.json(depth + 1));
    return this.jsonObject(depth + 1);
  }

  jsonObject(depth = 0): SymbolicObject {
    const keys = this.random.sample(['x', 'y', 'tags', 'id', 'a b', 'created', 'é'], this.random.int(0, 3));
    return Object.fromEntries(keys.map((key) => [key, this.json(depth + 1)]));
  }

  /** The given fields, each with its own probability; a field that is left out is absent. */
  optional(fields: Record<string, () => Symbolic>, probability = 0.25): SymbolicObject {
    const body: SymbolicObject = {};
    for (const [key, value] of Object.entries(fields)) {
      if (this.random.chance(probability)) body[key] = value();
    }
    return body;
  }

  /** The resource id of an object in events: `prefect.flow-run.<id>`. */
  resource(kind: string, id: Symbolic): Joined {
    return new Joined(`prefect.${kind.replaceAll('_', '-')}.`, id instanceof Ref ? id : String(id));
  }

  #notation(): string {
    const draw = this.random.next();
    if (draw < 0.7) return 'Z';
    return this.random.pick(['+00:00', '+02:00', '.123456Z', '.5Z', '.000001+00:00']);
  }

  #of(kind: string): Handle[] {
    const handles = this.#handles.get(kind) ?? [];
    this.#handles.set(kind, handles);
    return handles;
  }

  #deleted(kind: string): Handle | undefined {
    const gone = this.#of(kind).filter((handle) => !handle.alive);
    return gone.length > 0 ? this.random.pick(gone) : undefined;
  }
}

function textsOf(body: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
