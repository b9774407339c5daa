/** A person who signs clients in at a real browser, through the pages for sign-in and consent. */
import assert from 'node:assert/strict';
import { type Chromium, findChromium, type Page, startChromium } from '../browser/chromium.ts';
import { freePort } from '../support/free-port.ts';
import type { Peers } from './packages.ts';
import { runToEnd } from './processes.ts';

const CLIENT_SECONDS = 60;

export interface SignInPlace {
  readonly peers: Peers;
  readonly origin: string;
  /** Address of the server that the clients are given, and nothing else. */
  readonly url: string;
  readonly email: string;
  readonly password: string;
  /** Folder that a client may write to. */
  readonly folder: string;
}

/** The page that a client asks its person to open. */
const ASKED = /https?:\/\/\S+\/oauth\/authorize\?\S+/;

/**
 * Every client in one browser: the first one meets the page for sign-in, and each the page for consent. Resolves to why it
 * was skipped; rejects with the output of the client that did not get through.
 */
export async function signInClients(place: SignInPlace): Promise<string | undefined> {
  const program = findChromium();
  if (!program) return 'there is no Chromium';
  const chromium = await startChromium(program);
  try {
    for (const [name, { command, holds }] of Object.entries(await clientsOf(place))) {
      await signIn(chromium, place, command, holds, name);
      console.log(`    ${name}`);
    }
  } finally {
    await chromium.stop();
  }
  return undefined;
}

interface Client {
  readonly command: readonly string[];
  /** What it prints at its end. */
  readonly holds: RegExp;
}

async function clientsOf(place: SignInPlace): Promise<Record<string, Client>> {
  const { peers, url } = place;
  const inspector = peers.program('.bin', 'mcp-inspector');
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
  const asking = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hi', '--callback-url', callback];
  const holds = /called echo/;
  return {
    'TypeScript SDK 1': { command: [process.execPath, 'sign_in.mjs', 'v1', url], holds },
    'TypeScript SDK 2': { command: [process.execPath, 'sign_in.mjs', 'v2', url], holds },
    'MCP Inspector': {
      command: [process.execPath, inspector, '--cli', url, '--transport', 'http', ...asking],
      holds: /hi/,
    },
    ...(peers.python && {
      'Python SDK': { command: [peers.python, 'sign_in.py', 'mcp', url], holds },
      FastMCP: { command: [peers.python, 'sign_in.py', 'fastmcp', url], holds },
    }),
    'the conformance suite': {
      command: await conformanceOf(place),
      holds: /1 passed, 0 failed[\s\S]*Total: \d+ passed, 0 failed/,
    },
  };
}

/** The scenarios of the suite for authorization servers, with a client that is registered for it. */
async function conformanceOf({ peers, origin, url }: SignInPlace): Promise<string[]> {
  const port = String(await freePort());
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const program = peers.program('@modelcontextprotocol/conformance', 'dist/index.js');
  const given = ['--url', origin, '--client-id', client_id, '--resource', url, '--port', port];
  return [process.execPath, program, 'authorization', ...given];
}

async function signIn(
  chromium: Chromium,
  { peers, email, password, folder }: SignInPlace,
  [program = '', ...args]: readonly string[],
  holds: RegExp,
  name: string,
): Promise<void> {
  let visit: Promise<void> | undefined;
  const { code, output } = await runToEnd(program, args, {
    cwd: peers.folder,
    seconds: CLIENT_SECONDS,
    // The Inspector signs in without a terminal only when it may open a browser; `true` stands for that one.
    environment: { HOME: folder, MCP_AUTO_OPEN_ENABLED: 'true', BROWSER: 'true' },
    seen: (text) => {
      const [page] = ASKED.exec(text) ?? [];
      // The address may come in parts; a line is whole.
      if (page === undefined || visit || !text.slice(text.indexOf(page) + page.length).includes('\n')) return;
      visit = allow(chromium, page, email, password);
      visit.catch(() => {});
    },
  });
  await visit;
  assert.ok(visit, `${name} asked for no sign-in: ${output}`);
  assert.equal(code, 0, `${name}: ${output}`);
  assert.match(output, holds, name);
}

/** Returns once the browser is back at the client. */
async function allow(chromium: Chromium, address: string, email: string, password: string): Promise<void> {
  const page = await chromium.openPage();
  try {
    await page.open(address);
    if (await page.evaluate<boolean>("location.pathname === '/sign-in'")) await fillIn(page, email, password);
    await page.until("document.querySelector('h1')?.textContent.startsWith('Connect ')");
    await page.follow("document.querySelector('button[value=allow]').click()");
  } finally {
    await page.close();
  }
}

async function fillIn(page: Page, email: string, password: string): Promise<void> {
  const set = (name: string, value: string) =>
    `form.elements[${JSON.stringify(name)}].value = ${JSON.stringify(value)};`;
  await page.follow(
    `{ const { form } = document.querySelector('input[name=password]'); ${set('email', email)} ${set('password', password)} form.requestSubmit(); }`,
  );
}
