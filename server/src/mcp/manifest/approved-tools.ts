/**
 * Withholds tools that differ from their approved definition: a server could describe a tool in one way until it is
 * trusted, and in another way afterwards. Each list is compared with its current definitions; a call is decided by the
 * last read manifest of the server.
 */
import { createHash } from 'node:crypto';
import type { Manifest } from './discovery.ts';

type Item = Readonly<Record<string, unknown>>;

export interface ApprovedTool {
  readonly hash: string;
  /** The parts of the tool on which a model or a client acts. */
  readonly definition: Item;
}

/** `approved_tools` of a server's row, by name. */
export type ApprovedTools = Readonly<Record<string, ApprovedTool>>;

const PARTS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** The reason why a tool is withheld. */
export type Held = 'not approved' | 'changed since it was approved';

/** The definition as JSON; raw numbers become plain ones. */
export function definitionOf(tool: Item): Item {
  const parts = PARTS.flatMap((part) => (tool[part] === undefined ? [] : [[part, tool[part]] as const]));
  return JSON.parse(JSON.stringify(Object.fromEntries(parts))) as Item;
}

/** Equal for equal definitions, regardless of the order of keys. */
export function hashOf(definition: Item): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(definition)))
    .digest('base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return entries.map(([key, one]) => [key, sorted(one)]);
}

/** The approvals in a server's row; undefined if its tools need no approval. */
export function approvalsIn(approvedTools: string | null, manifest: string | null): Approvals | undefined {
  if (approvedTools === null) return undefined;
  const tools = manifest === null ? [] : (JSON.parse(manifest) as Manifest).tools;
  return new Approvals(JSON.parse(approvedTools) as ApprovedTools, tools);
}

export class Approvals {
  readonly #hashes: ReadonlyMap<string, string>;
  readonly #changed: ReadonlySet<string>;
  /** Equal for the same approved and changed tools. */
  readonly key: string;

  /** `tools` are the tools of the last read manifest. */
  constructor(approved: ApprovedTools, tools: readonly Item[]) {
    this.#hashes = new Map(Object.entries(approved).map(([name, { hash }]) => [name, hash]));
    const offered = tools.map((tool) => [String(tool['name']), tool] as const);
    const changed = offered.filter(([name, tool]) => this.#hashes.has(name) && !this.isAsApproved(name, tool));
    this.#changed = new Set(changed.map(([name]) => name));
    const facts = JSON.stringify([[...this.#hashes].sort(), [...this.#changed].sort()]);
    this.key = createHash('sha256').update(facts).digest('base64url');
  }

  /** Undefined for a tool that may be called. */
  holds(name: string): Held | undefined {
    if (!this.#hashes.has(name)) return 'not approved';
    return this.#changed.has(name) ? 'changed since it was approved' : undefined;
  }

  /** Compares a tool in a current list of the server. */
  isAsApproved(name: string, tool: Item): boolean {
    return this.#hashes.get(name) === hashOf(definitionOf(tool));
  }
}
