import type { Page } from '@playwright/test';
import { get, post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

interface Run {
  readonly id: string;
  readonly state_name: string;
}

/** Failed runs of one deployment, which have a flow of their own. */
async function failedRuns(api: string, flow: string, count: number): Promise<string[]> {
  const { id: flow_id } = await post(api, '/flows/', { name: flow });
  const { id: deployment_id } = await post(api, '/deployments/', { name: flow, flow_id });
  const body = { flow_id, deployment_id, state: { type: 'FAILED' } };
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await post(api, '/flow_runs/', body)).id);
  return ids;
}

const stateOf = async (api: string, id: string) => (await get<Run>(api, `/flow_runs/${id}`)).state_name;
const countIn = (api: string, flow: string, state: string) =>
  post<number>(api, '/flow_runs/count', {
    flows: { name: { any_: [flow] } },
    flow_runs: { state: { name: { any_: [state] } } },
  });
const notices = (page: Page) => page.getByRole('region', { name: 'Notifications' });

test('a retry is announced, and undone while it waits', async ({ page, filled }) => {
  const [id = ''] = await failedRuns(filled.api, 'undone', 1);
  await page.goto(`${filled.url}/runs/flow-run/${id}`);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(notices(page).getByText('Retry scheduled')).toBeVisible();
  await expect(notices(page)).toHaveAttribute('aria-live', 'polite');
  await expect(page.getByRole('button', { name: 'Retry', exact: true })).toBeDisabled();
  await look(page, 'notice-undo');
  // The keyboard reaches the notice from anywhere.
  await page.keyboard.press('F6');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(notices(page).getByRole('button', { name: 'Undo' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(notices(page).getByText('Undone: nothing was changed')).toBeVisible();
  const [work] = await get<{ status: string; done: number }[]>(filled.api, '/bulk_work/');
  expect(work).toMatchObject({ status: 'CANCELLED', done: 0 });
  expect(await stateOf(filled.api, id)).toBe('Failed');
});

test('a retry that is not undone happens once, also when the page is closed @postgres', async ({ page, filled }) => {
  const [id = ''] = await failedRuns(filled.api, 'left', 1);
  await page.goto(`${filled.url}/runs/flow-run/${id}`);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(notices(page).getByText('Retry scheduled')).toBeVisible();
  await page.goto('about:blank');
  await expect.poll(() => stateOf(filled.api, id)).toBe('AwaitingRetry');
  const states = await get<object[]>(filled.api, `/flow_run_states/?flow_run_id=${id}`);
  expect(states).toHaveLength(2);
});

test('selected runs are retried with a key, and the work is left and found again', async ({ page, filled }) => {
  await failedRuns(filled.api, 'many-failed', 120);
  await page.goto(`${filled.url}/runs?flow=many-failed`);
  await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
  await page.getByRole('button', { name: 'Select all 120 that match' }).click();
  await page.keyboard.press('r');
  await expect(page.getByRole('heading', { name: 'Retry 120 runs?' })).toBeVisible();
  await page.getByRole('button', { name: 'Retry 120' }).click();
  await expect(notices(page).getByText('Retry of 120 runs scheduled')).toBeVisible();
  await expect(page.getByRole('toolbar', { name: 'Selected runs' })).toBeHidden();
  await notices(page).getByRole('link', { name: 'Bulk work' }).click();
  const line = page.getByRole('list', { name: 'Bulk work' }).getByRole('listitem').first();
  await expect(line.getByRole('progressbar')).toBeVisible();
  await look(page, 'bulk-work-running');
  await page.goto(`${filled.url}/runs`);
  await page.getByRole('link', { name: 'Bulk work' }).click();
  await expect(line.getByText('120 runs retried')).toBeVisible();
  expect(await countIn(filled.api, 'many-failed', 'AwaitingRetry')).toBe(120);
  await look(page, 'bulk-work-ended');
});

test('the progress and the end of a work are told on any page', async ({ page, filled }) => {
  await failedRuns(filled.api, 'told', 3);
  await page.goto(`${filled.url}/runs?flow=told`);
  await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
  await page.getByRole('button', { name: 'Change the state…' }).click();
  await expect(page.getByText('Change the state of 3 runs')).toBeVisible();
  await page.getByRole('dialog').getByText('Crashed', { exact: true }).click();
  await page.getByText('Pass over the rules').click();
  await page.getByRole('button', { name: 'Set Crashed' }).click();
  await expect(notices(page).getByText('State change of 3 runs to Crashed scheduled')).toBeVisible();
  await page.getByRole('link', { name: 'Flows', exact: true }).click();
  await expect(notices(page).getByText('3 runs changed')).toBeVisible();
  expect(await countIn(filled.api, 'told', 'Crashed')).toBe(3);
});
