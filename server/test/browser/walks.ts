/** What people do with the pages of sign-in, step by step. They share one server, in this order. */
import assert from 'node:assert/strict';
import type { Page } from './chromium.ts';

export interface Steps {
  readonly page: Page;
  readonly origin: string;
  readonly setUpUrl: string | undefined;
  /** Looks at the page as it is, in light and in dark, and keeps pictures of it under this name. */
  show(name: string): Promise<void>;
}

export interface Walk {
  readonly name: string;
  /** Other addresses that its pages may call. */
  readonly mayCall?: RegExp;
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
      assert.match(await read(page), /Tell your name/);
      await show('set-up-problems');
      await fill(page, { name: 'Ada Lovelace', ...ada });
      await press(page, 'Create the account');
      assert.equal(await page.evaluate('location.href'), `${origin}/`);
      await page.open(`${origin}/account`);
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
      await page.open(`${origin}/account`);
      await press(page, 'Sign out');
      assert.match(await read(page), /You are signed out/);
      await page.open(`${origin}/account`);
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
      assert.equal(await page.evaluate('location.pathname'), '/account');
    },
  },
];

/** Types into the fields of the page, by their names. */
async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await page.evaluate(`document.querySelector('[name="${name}"]').value = ${JSON.stringify(value)}`);
  }
}

/** Presses the button with this text and waits for the page behind it. */
async function press(page: Page, text: string): Promise<void> {
  const button = `[...document.querySelectorAll('button, a')].find((one) => one.textContent.trim() === ${JSON.stringify(text)})`;
  assert.ok(await page.evaluate(`Boolean(${button})`), `there is no "${text}" on: ${await read(page)}`);
  await page.follow(`${button}.click()`);
}

function read(page: Page): Promise<string> {
  return page.evaluate('document.body.innerText');
}
