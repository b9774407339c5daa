/** People who sign in to a server with accounts. */
import type { Browser, Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import type { RunningServer } from './running-server.ts';

export const password = 'correct horse battery';
/** A server that asks everybody for a session or a key. */
export const settings = { SIGNALBOX_API_AUTH: 'key' };

/** Creates the first administrator, Ada, and signs her in. */
export async function setUp(page: Page, server: RunningServer): Promise<void> {
  await page.goto(server.setUpUrl ?? '');
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await expect(page.getByRole('button', { name: 'Ada Lovelace' })).toBeVisible({ timeout: 30_000 });
}

export async function signIn(page: Page, email: string, typed = password): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(typed);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Invites a person as the administrator of `page`; returns the page of that person, who has joined. */
export async function join(
  page: Page,
  browser: Browser,
  server: RunningServer,
  name: string,
  email: string,
): Promise<Page> {
  await page.goto(`${server.url}/people?tab=invitations`);
  await page.getByRole('button', { name: 'Invite' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail address').fill(email);
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = (await dialog.getByLabel('Link', { exact: true }).textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByRole('cell', { name: email, exact: true })).toBeVisible();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const other = await context.newPage();
  await other.goto(link);
  await other.getByLabel('Your name').fill(name);
  await other.getByLabel('Password').fill(password);
  await other.getByRole('button', { name: 'Create the account and join' }).click();
  await expect(other.getByRole('button', { name })).toBeVisible();
  return other;
}

export async function call(
  page: Page,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: never }> {
  return page.evaluate(
    async ([method, path, body]) => {
      const { csrfToken } = (await (await fetch('/api/v0/me/access')).json()) as { csrfToken: string };
      const headers = { 'content-type': 'application/json', 'x-csrf-token': csrfToken };
      const answer = await fetch(path as string, { method: method as string, headers, body: body as string });
      return { status: answer.status, body: (await answer.json().catch(() => null)) as never };
    },
    [method, path, body && JSON.stringify(body)] as const,
  );
}
