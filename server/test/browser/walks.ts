/** What people do with the pages of sign-in, step by step. They share one server, in this order. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { IdentityProvider } from '../support/identity-provider.ts';
import type { MailServer } from '../support/mail-server.ts';
import type { Page } from './chromium.ts';

export interface Steps {
  readonly page: Page;
  readonly origin: string;
  readonly setUpUrl: string | undefined;
  readonly provider: IdentityProvider;
  /** The mail server of the settings. */
  readonly mails: MailServer;
  /** Checks the current page in light and in dark mode, and keeps pictures of it under this name. */
  show(name: string): Promise<void>;
}

export interface Walk {
  readonly name: string;
  /** Further addresses that its pages may call. */
  readonly mayCall?: RegExp;
  readonly leavesToProvider?: boolean;
  take(steps: Steps): Promise<void>;
}

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

export const walks: readonly Walk[] = [
  {
    name: 'set-up: the first administrator makes an account and is signed in',
    async take({ page, origin, setUpUrl, show }) {
      assert.ok(setUpUrl, 'a new server offers a link');
      await page.forget();
      await page.open(setUpUrl);
      await show('set-up');
      await fill(page, { name: '   ', email: 'ada@example', password: 'correct horse battery' });
      await press(page, 'Create the account');
      assert.match(await read(page), /Enter your name/);
      await show('set-up-problems');
      await fill(page, { name: 'Ada Lovelace', ...ada });
      await press(page, 'Create the account');
      assert.equal(await page.evaluate('location.href'), `${origin}/`);
      await page.open(`${origin}/signed-in`);
      assert.match(await read(page), /Ada Lovelace[\s\S]*Administrator/);
      await show('account');
      await page.open(setUpUrl);
      assert.match(await read(page), /This link does not work/);
      await show('set-up-used');
    },
  },
  {
    name: 'sign-in: out, a wrong password, in again, and on to the page that asked',
    async take({ page, origin, show }) {
      await page.open(`${origin}/signed-in`);
      await press(page, 'Sign out');
      assert.match(await read(page), /You are signed out/);
      await page.open(`${origin}/signed-in`);
      assert.match(await page.evaluate<string>('location.pathname'), /sign-in/);
      await show('sign-in');
      await fill(page, { ...ada, password: 'a wrong password' });
      await press(page, 'Sign in');
      assert.match(await read(page), /The address or the password is wrong/);
      assert.equal(await page.evaluate('document.querySelector("#email").value'), ada.email);
      assert.equal(await page.evaluate('document.querySelector("#password").value'), '');
      await show('sign-in-problems');
      await fill(page, ada);
      await press(page, 'Sign in');
      assert.equal(await page.evaluate('location.pathname'), '/signed-in');
    },
  },
  {
    name: 'the page of the platform API acts for who is signed in, in changes too',
    async take({ page, origin }) {
      await page.open(`${origin}/api/v0/docs`);
      assert.match(await tryOut(page, 'Me', 'readMe'), /^200[\s\S]*ada@example\.com/);
      assert.match(await tryOut(page, 'Me', 'createPersonalApiKey'), /^201[\s\S]*sbx_/);
    },
  },
  {
    name: 'device: a code is typed in, approved, and the device has a key',
    async take({ page, origin, show }) {
      const begin = async () =>
        postForm(`${origin}/api/v0/oauth/device/authorization`, {
          client_id: 'fastmcp-cli',
          client_version: '4.1.0',
          device_name: 'ada-laptop',
          platform: 'linux',
          architecture: 'x86_64',
        });
      const poll = ({ device_code = '' }: Record<string, string>) =>
        postForm(`${origin}/api/v0/oauth/device/token`, { grant_type, client_id: 'fastmcp-cli', device_code });
      const device = await begin();
      await page.open(`${origin}/oauth/device`);
      await show('device-code');
      await fill(page, { user_code: 'BBBB-BBBB' });
      await press(page, 'Continue');
      await show('device-code-problem');
      await fill(page, { user_code: String(device['user_code']).toLowerCase() });
      await press(page, 'Continue');
      assert.match(await read(page), /Connect ada-laptop\?/);
      // The pointer has not been on the page: a click of it, begun on another window, would approve nothing.
      assert.equal(await page.evaluate(elementAtButton('approve')), 'DIV');
      await show('device-approval');
      await press(page, 'Approve');
      await show('device-approved');
      assert.match(String((await poll(device))['access_token']), /^sbx_/);
      const refused = await begin();
      await page.open(String(refused['verification_uri_complete']));
      await press(page, 'Refuse');
      assert.equal((await poll(refused))['error'], 'access_denied');
      await show('device-refused');
    },
  },
  {
    name: 'terminal: a program that waits on this machine is handed a key, once it is approved',
    mayCall: /^http:\/\/localhost:\d+\/(success|failure)$/,
    async take({ page, origin, show }) {
      const terminal = await listen();
      const address = `${origin}/auth/client?callback=${encodeURIComponent(terminal.url)}`;
      await page.open(address);
      await show('terminal');
      await press(page, 'Approve');
      await page.until('document.body.innerText.includes("The terminal is signed in")');
      await show('terminal-done');
      assert.match(terminal.taken.join(), /^\/success \{"api_key":"sbx_\w+"\}$/);
      await page.open(address);
      await press(page, 'Refuse');
      await page.until('document.body.innerText.includes("gets no key")');
      assert.match(terminal.taken.join(), /\/failure/);
      await page.open(address);
      await terminal.stop();
      await press(page, 'Approve');
      await page.until('document.body.innerText.includes("does not answer")');
      await show('terminal-gone');
      await page.open(`${origin}/docs`);
      await page.until(`fetch('/api/v0/me/api-keys?limit=200').then((answer) => answer.json())
        .then(({ items }) => items.filter(({ descriptor, state }) =>
          descriptor === 'Prefect command line' && state === 'active').length === 1)`);
    },
  },
  {
    name: 'invitation: somebody new joins, and who is signed in as somebody else cannot',
    async take({ page, origin, show }) {
      const post = (path: string, body: object) =>
        page.evaluate<{ readonly url: string }>(`(async () => {
          const { csrfToken } = await (await fetch('/api/v0/session')).json();
          const headers = { 'content-type': 'application/json', 'x-csrf-token': csrfToken };
          const body = ${JSON.stringify(JSON.stringify(body))};
          return (await fetch('/api/v0${path}', { method: 'POST', headers, body })).json();
        })()`);
      const invite = async (organization: string) =>
        (await post(`/organizations/${organization}/invitations`, { email: 'grace@example.com' })).url;
      // The start page may call no address; the page of the API may.
      await page.open(`${origin}/docs`);
      await post('/organizations', { name: 'Navy', slug: 'navy' });
      const link = await invite('default');
      const second = await invite('navy');
      await page.open(link);
      assert.match(await read(page), /You are signed in as ada@example.com/);
      await show('invitation-other-address');
      await press(page, 'Sign out');
      await page.open(link);
      await show('invitation');
      await fill(page, { name: 'Grace Hopper', password: 'a ship in port is safe' });
      await press(page, 'Create the account and join');
      await page.open(`${origin}/signed-in`);
      assert.match(await read(page), /Grace Hopper[\s\S]*Member/);
      await page.open(link);
      assert.match(await read(page), /This invitation does not work/);
      await show('invitation-used');
      await page.open(`${origin}/signed-in`);
      await press(page, 'Sign out');
      await page.open(second);
      await show('invitation-sign-in');
    },
  },
  {
    name: 'forgotten password: a mail leads to a new one, once',
    async take({ page, origin, mails, show }) {
      await page.forget();
      await page.open(`${origin}/sign-in`);
      await page.click('document.querySelector(\'a[href="/forgotten-password"]\')');
      await page.until('location.pathname === "/forgotten-password"');
      await show('forgotten-password');
      await fill(page, { email: 'grace' });
      await page.evaluate('document.querySelector("form").noValidate = true');
      await press(page, 'Send the link');
      assert.match(await read(page), /This is not an email address/);
      await show('forgotten-password-problem');
      await fill(page, { email: 'grace@example.com' });
      await press(page, 'Send the link');
      assert.match(await read(page), /Check your mailbox/);
      await show('forgotten-password-asked');
      // The first two are invitations.
      const { text: mail } = await mails.mailTo('grace@example.com', 3);
      const link = /http:\S+/.exec(mail)?.[0] ?? '';
      await page.open(link);
      await show('new-password');
      await fill(page, { password: 'the debugging of a moth' });
      await press(page, 'Set the password and sign in');
      await page.open(`${origin}/signed-in`);
      assert.match(await read(page), /Grace Hopper/);
      await page.open(link);
      assert.match(await read(page), /This link does not work/);
      await show('new-password-used');
    },
  },
  {
    name: 'identity provider: there, back and signed in; an unknown person is told why not',
    leavesToProvider: true,
    async take({ page, origin, provider, show }) {
      await page.forget();
      provider.person = { sub: 'eve', email: 'eve@example.com', email_verified: true };
      await page.open(`${origin}/signed-in`);
      await press(page, 'Sign in with Example ID');
      assert.match(await read(page), /There is no account for eve@example.com/);
      await show('provider-unknown');
      await page.forget();
      provider.person = { sub: 'ada', email: ada.email, email_verified: true };
      await page.open(`${origin}/signed-in`);
      await press(page, 'Sign in with Example ID');
      assert.equal(await page.evaluate('location.pathname'), '/signed-in');
      assert.match(await read(page), /Ada Lovelace/);
    },
  },
];

const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';

async function postForm(url: string, fields: Record<string, string>): Promise<Record<string, string>> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  return (await answer.json()) as Record<string, string>;
}

/** What `prefect cloud login` does on the machine of the browser; any page may call it. */
async function listen() {
  const taken: string[] = [];
  const server = createServer(async (request, response) => {
    response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
    if (request.method === 'POST') taken.push(`${request.url} ${await text(request)}`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, taken, stop };
}

/** Types into the fields of the page, by their names. */
async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await page.evaluate(`document.querySelector('[name="${name}"]').value = ${JSON.stringify(value)}`);
  }
}

/** Presses the button with this text and waits for the next page. */
async function press(page: Page, text: string): Promise<void> {
  const button = `[...document.querySelectorAll('button, a')].find((one) => one.textContent.trim() === ${JSON.stringify(text)})`;
  assert.ok(await page.evaluate(`Boolean(${button})`), `there is no "${text}" on: ${await read(page)}`);
  await page.follow(`${button}.click()`);
}

/** Runs an operation on the page of an API, with the example for its body; returns the status and the answer. */
async function tryOut(page: Page, tag: string, operationId: string): Promise<string> {
  const section = `document.querySelector('#operations-tag-${tag}')`;
  const operation = `document.querySelector('#operations-${tag}-${operationId}')`;
  await page.until(section);
  if (!(await page.evaluate(`Boolean(${operation})`)))
    await page.evaluate(`${section}.querySelector('button').click()`);
  for (const button of ['button', '.try-out__btn', '.execute']) {
    await page.click(`${operation}?.querySelector('${button}')`);
  }
  const answer = `${operation}.querySelector('.live-responses-table .response')`;
  await page.until(answer);
  return page.evaluate(`${answer}.innerText.trim()`);
}

function read(page: Page): Promise<string> {
  return page.evaluate('document.body.innerText');
}

/** What a click of the pointer in the middle of the button of this decision meets. */
function elementAtButton(decision: string): string {
  return `(() => {
    const { x, y, width, height } = document.querySelector('button[value=${decision}]').getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2).tagName;
  })()`;
}
