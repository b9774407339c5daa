/** Compound and sequence triggers: decides when firings of their parts make them fire (`triggers.test.ts`). */
import type { CompositeTrigger } from './compile.ts';
import type { ChildFiring, Firing, StoredFiring } from './firing.ts';

/** The firings of parts that no whole has used yet, by parent and child. */
export class ChildFirings {
  readonly #byParent = new Map<string, Map<string, ChildFiring>>();
  readonly #stored: readonly StoredFiring[];

  constructor(stored: readonly StoredFiring[]) {
    this.#stored = stored;
    for (const firing of stored) this.#of(firing.parentId).set(firing.childId, firing);
  }

  /**
   * Stores the firing of a part. If it completes the whole, removes and returns the firings of all parts, in the order
   * of the parts. Undefined while parts are missing.
   */
  add(composite: CompositeTrigger, firing: Firing): readonly ChildFiring[] | undefined {
    const children = this.#of(composite.id);
    children.set(firing.trigger.id, firing);
    if (composite.required > 1) dropOld(children, composite, firing.triggered);
    if (children.size < composite.required) return undefined;
    const fired = composite.childIds.flatMap((id) => children.get(id) ?? []);
    if (composite.kind === 'sequence' && !isAscending(fired)) return undefined;
    children.clear();
    return fired;
  }

  /** The changes to write: new firings that are left, and stored ones that were used. */
  changes(): { readonly left: readonly [string, Firing][]; readonly gone: readonly StoredFiring[] } {
    const left = [...this.#byParent].flatMap(([parentId, children]) =>
      [...children.values()].flatMap((firing) => ('id' in firing ? [[parentId, firing] as [string, Firing]] : [])),
    );
    const gone = this.#stored.filter(({ parentId, childId }) => !this.#of(parentId).has(childId));
    return { left, gone };
  }

  #of(parentId: string): Map<string, ChildFiring> {
    let children = this.#byParent.get(parentId);
    if (!children) {
      children = new Map();
      this.#byParent.set(parentId, children);
    }
    return children;
  }
}

function dropOld(children: Map<string, ChildFiring>, { withinMicroseconds }: CompositeTrigger, now: number): void {
  if (withinMicroseconds === undefined) return;
  for (const [id, { triggered }] of children) if (triggered <= now - withinMicroseconds) children.delete(id);
}

function isAscending(firings: readonly ChildFiring[]): boolean {
  return firings.every((firing, index) => index === 0 || firings[index - 1]!.triggered < firing.triggered);
}
