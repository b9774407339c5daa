/** The platform API, as commands use it: of a running server, or in this process as its operator. */

import type { Config } from '../config.ts';
import { ConfigError } from '../errors.ts';
import type { OperatorContext } from '../platform/operator/operator.ts';
import type { Operator } from '../process/server.ts';
import { isJsonObject } from '../values/json.ts';

const PAGE = 200;

export type Item = Readonly<Record<string, unknown>>;

/** The database of this machine, opened for a command. */
export interface Operating {
  readonly context: OperatorContext;
  readonly operator: Operator;
  readonly config: Config;
}

export abstract class Api {
  /** Opens the database of this machine; undefined for a running server. */
  readonly operating: (() => Promise<Operating>) | undefined;

  constructor(operating?: () => Promise<Operating>) {
    this.operating = operating;
  }

  /**
   * Returns the parsed answer; undefined for an empty one. `path` is below `/api/v0`. Throws ConfigError with the
   * sentence of the refusal.
   */
  abstract call(method: string, path: string, body?: string): Promise<unknown>;

  send(method: string, path: string, body: object): Promise<Item> {
    return this.call(method, path, JSON.stringify(body)) as Promise<Item>;
  }

  /** Returns all items of a paginated list. `filter` goes into the query. */
  async all(path: string, filter: Readonly<Record<string, string>> = {}): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor: unknown; cursor !== null; ) {
      const query = new URLSearchParams({
        ...filter,
        limit: String(PAGE),
        ...(cursor ? { cursor: String(cursor) } : {}),
      });
      const page = await this.call('GET', `${path}?${query}`);
      if (!isJsonObject(page) || !Array.isArray(page['items'])) {
        throw new ConfigError(`The answer at ${path} is not a list, so this is not the API of Signalbox.`);
      }
      items.push(...page['items'].filter(isJsonObject));
      cursor = (isJsonObject(page['meta']) && page['meta']['nextCursor']) || null;
    }
    return items;
  }

  /** The items of a list below the named organization, or below all of `slugs`, with the organization's slug. */
  async allOf(
    below: string,
    organization: string | undefined,
    slugs: () => Promise<readonly string[]>,
    filter: Readonly<Record<string, string>> = {},
  ): Promise<Item[]> {
    const lists: Item[] = [];
    for (const slug of organization === undefined ? await slugs() : [organization]) {
      const items = await this.all(organizationPath(slug, below), filter);
      lists.push(...items.map((item) => ({ ...item, organization: slug })));
    }
    return lists;
  }

  /** The organizations of the caller; all for the operator. */
  readonly organizations = async (): Promise<readonly string[]> =>
    (await this.all('/organizations')).map(({ slug }) => String(slug));

  /** The organizations that the caller administers; all for the operator. */
  readonly administered = async (): Promise<readonly string[]> =>
    (await this.all('/organizations')).filter(({ role = 'admin' }) => role === 'admin').map(({ slug }) => String(slug));

  /** The item of a list below the organization whose `field` is `value`. Throws ConfigError with `missing`. */
  async named(below: string, organization: string, field: string, value: string, missing: string): Promise<string> {
    const path = organizationPath(organization, below);
    const found = (await this.all(path)).find((item) => item[field] === value);
    if (!found) throw new ConfigError(missing);
    return `${path}/${String(found['id'])}`;
  }

  accountPath(organization: string, name: string): Promise<string> {
    const missing = `"${organization}" has no service account "${name}". "signalbox service-accounts create --name ${name}" makes it.`;
    return this.named('/service-accounts', organization, 'name', name, missing);
  }
}

export function organizationPath(slug: string, below = ''): string {
  return `/organizations/${encodeURIComponent(slug)}${below}`;
}
