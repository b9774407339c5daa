/**
 * The fixtures of every dashboard test: a filled server for each worker, empty servers on demand, and the rules for
 * every page: no request goes to another host, no request fails, the console has no error.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { startPostgres } from '../../server/test/support/postgres.ts';
import { type Filled, fill, filledHome, readFilled } from './fill/fill.ts';
import { startProxy } from './proxy.ts';
import { type RunningServer, startServer } from './running-server.ts';

export interface Options {
  readonly database: 'sqlite' | 'postgres';
  readonly isBehindProxy: boolean;
  /** A filled server that no other file has used. */
  readonly isOwn: boolean;
}

export interface FilledServer {
  /** Address of the dashboard, without a trailing slash. */
  readonly url: string;
  readonly api: string;
  readonly seeded: Filled;
}

/** Exceptions to the rules, for tests of error pages. */
export interface Allowed {
  /** Answers with these statuses, and the console messages about them. */
  statuses: number[];
  /** Requests that no server answers. */
  isServerAway: boolean;
}

interface Fixtures {
  readonly allowed: Allowed;
  readonly rules: undefined;
  /** Starts an empty server with these settings and stops it after the test. */
  readonly startEmpty: (settings?: Readonly<Record<string, string>>) => Promise<RunningServer>;
}

export const test = base.extend<Fixtures, Options & { readonly filled: FilledServer }>({
  database: ['sqlite', { option: true, scope: 'worker' }],
  isBehindProxy: [false, { option: true, scope: 'worker' }],
  isOwn: [false, { option: true, scope: 'worker' }],
  filled: [
    async ({ database, isBehindProxy }, use) => {
      const home = await mkdtemp(join(tmpdir(), 'signalbox-browser-'));
      const postgres = database === 'postgres' ? await startPostgres() : undefined;
      if (!postgres) await cp(filledHome, home, { recursive: true });
      const server = await startServer(home, {
        ...(postgres ? { SIGNALBOX_DATABASE_URL: await postgres.createDatabase() } : {}),
        ...(isBehindProxy ? { SIGNALBOX_TRUSTED_PROXIES: '127.0.0.1/32' } : {}),
      });
      const seeded = postgres ? await fill(`${server.url}/api`) : await readFilled();
      const proxy = isBehindProxy ? await startProxy(server.url) : undefined;
      const url = proxy?.url ?? server.url;
      await use({ url, api: `${url}/api`, seeded });
      await proxy?.stop();
      await server.stop();
      await postgres?.stop();
      await rm(home, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  allowed: async ({ page: _ }, use) => {
    await use({ statuses: [], isServerAway: false });
  },
  rules: [
    async ({ page, allowed }, use) => {
      const complaints = complaintsOf(page, allowed);
      await use(undefined);
      expect(complaints, "the page's requests, failures and console messages").toEqual([]);
    },
    { auto: true },
  ],
  startEmpty: async ({ page, database }, use) => {
    const started: RunningServer[] = [];
    const postgres = database === 'postgres' ? await startPostgres() : undefined;
    await use(async (settings) => {
      const home = await mkdtemp(join(tmpdir(), 'signalbox-browser-'));
      const server = await startServer(home, {
        ...(postgres ? { SIGNALBOX_DATABASE_URL: await postgres.createDatabase() } : {}),
        ...settings,
      });
      started.push(server);
      return server;
    });
    // A page that is still open would report the stopped server.
    await page.goto('about:blank');
    for (const server of started) {
      await server.stop();
      await rm(server.home, { recursive: true, force: true });
    }
    await postgres?.stop();
  },
});

export { expect };

function complaintsOf(page: Page, allowed: Allowed): string[] {
  const complaints: string[] = [];
  const isAllowed = (text: string) =>
    allowed.statuses.some((status) => text.includes(`status of ${status}`)) ||
    (allowed.isServerAway && /net::ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE)/.test(text));
  // The stream may report a deletion before the page leaves the object, so the page requests the object once more.
  const deleted = new Set<string>();
  const isOfDeleted = (url: string) => [...deleted].some((id) => url.includes(id));
  page.on('request', (request) => {
    const id = new URL(request.url()).pathname.split('/').at(-1);
    if (request.method() === 'DELETE' && id) deleted.add(id);
    const { hostname, protocol } = new URL(request.url());
    if (!/^(data|blob):$/.test(protocol) && hostname !== '127.0.0.1') complaints.push(`asked ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() === 404 && isOfDeleted(response.url())) return;
    if (response.status() >= 400 && !allowed.statuses.includes(response.status())) {
      complaints.push(`${response.status()} of ${response.request().method()} ${response.url()}`);
    }
  });
  page.on('console', (message) => {
    if (message.type() !== 'error' || isAllowed(message.text())) return;
    if (!isOfDeleted(message.location().url)) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  return complaints;
}
