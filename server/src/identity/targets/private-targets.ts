/**
 * Automations, blocks and MCP servers that name private hosts. These hosts are allowed until the first account exists,
 * unless a setting decides. The person who makes that account sees which of them stop working, and `signalbox doctor`
 * shows them to operators later.
 */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { platformStatement } from '../../database/statement.ts';
import type { PlatformDb, Store } from '../../database/store.ts';
import type { Encryption } from '../../encryption/encryption.ts';
import { nextTurn } from '../../fairness/turns.ts';
import { classOfAddress } from '../../outbound/address-class.ts';
import { checkAddress } from '../../outbound/guard.ts';
import { counted } from '../../values/counted.ts';
import { isJsonObject } from '../../values/json.ts';
import { TargetPolicies } from './target-policy.ts';

export interface PrivateTargets {
  readonly automations: number;
  readonly blocks: number;
  readonly servers: number;
  /** Hosts as written, without duplicates, sorted. */
  readonly hosts: readonly string[];
}

/** Rows read from each table; later rows are not checked. */
const MAX_ROWS = 5000;
/** Names that are resolved. */
const MAX_NAMES = 50;
/** Limit for resolving all names together. */
const LOOKUP_MILLISECONDS = 2000;
const UUIDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Hosts that a sentence lists. */
const MAX_SHOWN = 5;

const listBlocks = platformStatement<Record<string, never>, { id: string; encrypted_data: string }>((query) =>
  query.selectFrom('block_document').select(['id', 'encrypted_data']).orderBy('id').limit(MAX_ROWS),
);
const listActions = platformStatement<Record<string, never>, Record<string, string>>((query) =>
  query
    .selectFrom('automation')
    .select(['actions', 'actions_on_trigger', 'actions_on_resolve'])
    .where('enabled', '=', true)
    .orderBy('id')
    .limit(MAX_ROWS),
);
const listConnections = platformStatement<Record<string, never>, { connection: string }>((query) =>
  query.selectFrom('mcp_server').select('connection').where('kind', '=', 'external').orderBy('id').limit(MAX_ROWS),
);

/** Finds what the first account would switch off. Undefined if a setting decides, or if an account exists. */
export async function lostWithFirstAccount(
  store: Store,
  encryption: Pick<Encryption, 'decrypt'>,
  config: Pick<Config, 'allowPrivateTargets' | 'allowedPrivateNetworks'>,
): Promise<PrivateTargets | undefined> {
  if (config.allowPrivateTargets !== undefined || (await new TargetPolicies(store, config).accountExists()))
    return undefined;
  return findPrivateTargets(store.platform.reads({ background: true }), encryption, config);
}

/**
 * Finds the targets whose hosts are in none of the networks of the settings. A secret that no key decrypts is skipped.
 */
export async function findPrivateTargets(
  db: PlatformDb,
  encryption: Pick<Encryption, 'decrypt'>,
  { allowedPrivateNetworks: networks }: Pick<Config, 'allowedPrivateNetworks'>,
): Promise<PrivateTargets> {
  const judge = new HostJudge((address) => {
    try {
      checkAddress(address, 0, { allowPrivate: false, networks });
      return false;
    } catch {
      return classOfAddress(address) === 'private';
    }
  });
  const blocks = new Set<string>();
  // Two workspaces may have blocks with the same id, because imports keep ids.
  let blockCount = 0;
  for (const { id, encrypted_data } of await db.all(listBlocks, {})) {
    if (await judge.namesPrivate(opened(encryption, encrypted_data))) {
      blocks.add(id);
      blockCount += 1;
    }
    await nextTurn();
  }
  let automations = 0;
  for (const row of await db.all(listActions, {})) {
    const ids = Object.values(row).flatMap((text) => text.match(UUIDS) ?? []);
    if (ids.some((id) => blocks.has(id))) automations += 1;
    await nextTurn();
  }
  let servers = 0;
  for (const { connection } of await db.all(listConnections, {})) {
    if (await judge.namesPrivate(JSON.parse(connection))) servers += 1;
  }
  return { automations, blocks: blockCount, servers, hosts: judge.found };
}

/**
 * The subject of a sentence about what stops: `2 automations and 3 blocks name private hosts (10.1.0.5)`. Undefined if
 * nothing stops.
 */
export function namingPrivateHosts({ automations, blocks, servers, hosts }: PrivateTargets): string | undefined {
  const kinds = [
    [automations, 'automation'],
    [blocks, 'block'],
    [servers, 'MCP server'],
  ] as const;
  const parts = kinds.flatMap(([count, what]) => (count > 0 ? [counted(count, what)] : []));
  if (parts.length === 0) return undefined;
  const isOne = automations + blocks + servers === 1;
  const shown = hosts.slice(0, MAX_SHOWN).join(', ') + (hosts.length > MAX_SHOWN ? ', …' : '');
  const last = parts.pop();
  return `${parts.length > 0 ? `${parts.join(', ')} and ` : ''}${last} ${isOne ? 'names' : 'name'} private hosts (${shown})`;
}

export const PRIVATE_TARGETS_CURE =
  'Name their networks in SIGNALBOX_ALLOWED_PRIVATE_NETWORKS, or set SIGNALBOX_ALLOW_PRIVATE_TARGETS=true.';

/** Decides whether hosts are private, and resolves each name once. */
class HostJudge {
  readonly #isPrivate: (address: string) => boolean;
  readonly #known = new Map<string, boolean>();
  #names = 0;
  #late: Promise<never[]> | undefined;

  constructor(isPrivate: (address: string) => boolean) {
    this.#isPrivate = isPrivate;
  }

  get found(): string[] {
    return [...this.#known].flatMap(([host, isPrivate]) => (isPrivate ? [host] : [])).sort();
  }

  async namesPrivate(value: unknown): Promise<boolean> {
    let any = false;
    for (const host of hostsIn(value)) {
      if (!this.#known.has(host)) this.#known.set(host, await this.#judge(host));
      any ||= this.#known.get(host) === true;
    }
    return any;
  }

  async #judge(host: string): Promise<boolean> {
    if (isIP(host) !== 0) return this.#isPrivate(host);
    if (host === 'localhost' || host.endsWith('.localhost')) return this.#isPrivate('127.0.0.1');
    this.#names += 1;
    if (this.#names > MAX_NAMES) return false;
    this.#late ??= new Promise((resolve) => setTimeout(() => resolve([]), LOOKUP_MILLISECONDS).unref());
    const addresses = await Promise.race([lookup(host, { all: true }).catch(() => []), this.#late]);
    return addresses.some(({ address }) => this.#isPrivate(address));
  }
}

/** Names of fields whose whole value is a host. */
const HOST_FIELD = /(^|_)(host|hostname|server)$/;
const MAX_DEPTH = 8;

/** The hosts in the addresses of a value, and in its fields that name a host. */
function hostsIn(value: unknown, field = '', depth = MAX_DEPTH): string[] {
  if (typeof value === 'string') {
    const url = URL.parse(value);
    if (url && url.host !== '') return [url.hostname.replace(/^\[|\]$/g, '')];
    return HOST_FIELD.test(field) && /^[\w.:-]+$/.test(value) ? [value] : [];
  }
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((item) => hostsIn(item, field, depth - 1));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => hostsIn(member, name, depth - 1));
}

function opened(encryption: Pick<Encryption, 'decrypt'>, data: string): unknown {
  try {
    return JSON.parse(encryption.decrypt(data));
  } catch {
    return undefined;
  }
}
