import type { Side } from '../generate/symbols.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The name that a server generates for a run without one: `adjective-animal`. */
const GENERATED_NAME = /^[a-z]+(-[a-z]+)+$/;

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** The ids and names of the two servers that mean the same object, as the comparison learns them during a run. */
export class Identities {
  readonly #pairs: Record<Side, Map<string, string>> = { reference: new Map(), ours: new Map() };
  readonly #sent = new Set<string>();
  readonly #lastSeen = new Map<string, readonly [string, string]>();
  readonly #reported = new Set<string>();
  readonly #undo: (() => void)[] = [];

  /** Remembers a text that the client sent, so that it does not count as generated. */
  addSent(text: string): void {
    this.#sent.add(text);
  }

  wasSent(text: string): boolean {
    return this.#sent.has(text);
  }

  isGeneratedName(text: string): boolean {
    return GENERATED_NAME.test(text) && !this.#sent.has(text);
  }

  /** Where `rollback` returns to. */
  mark(): number {
    return this.#undo.length;
  }

  /** Forgets what was learnt since `mark`, so that a comparison can be tried again. */
  rollback(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  /** True when the two ids may mean the same object; a new pair is remembered. */
  bind(reference: string, ours: string): boolean {
    const known = this.#pairs.reference.get(reference);
    if (known !== undefined || this.#pairs.ours.has(ours)) return known === ours;
    this.#pairs.reference.set(reference, ours);
    this.#pairs.ours.set(ours, reference);
    this.#undo.push(() => {
      this.#pairs.reference.delete(reference);
      this.#pairs.ours.delete(ours);
    });
    return true;
  }

  /** The reference's id for the same object, or undefined while the id is not known. */
  symbolOf(side: Side, id: string): string | undefined {
    if (side === 'ours') return this.#pairs.ours.get(id);
    return this.#pairs.reference.has(id) ? id : undefined;
  }

  /** Our id for the reference's; undefined while it is not known. */
  counterpart(referenceId: string): string | undefined {
    return this.#pairs.reference.get(referenceId);
  }

  /** True the first time that a difference is found: a differing object shows it in every list that contains it. */
  isNew(difference: string): boolean {
    if (this.#reported.has(difference)) return false;
    this.#reported.add(difference);
    this.#undo.push(() => this.#reported.delete(difference));
    return true;
  }

  /** False when a value of an object changed on one server only since the last comparison. */
  changedTogether(symbol: string, field: string, reference: string, ours: string): boolean {
    const key = `${symbol} ${field}`;
    const known = this.#lastSeen.get(key);
    this.#lastSeen.set(key, [reference, ours]);
    this.#undo.push(() => {
      if (known) this.#lastSeen.set(key, known);
      else this.#lastSeen.delete(key);
    });
    return !known || (known[0] === reference) === (known[1] === ours);
  }
}
