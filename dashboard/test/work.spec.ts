import { get, post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

interface Pool {
  readonly type: string;
  readonly is_paused: boolean;
  readonly concurrency_limit: number | null;
  readonly base_job_template: { readonly variables: { readonly properties: Record<string, { default?: unknown }> } };
}

test('work pools show their workers and queues @quick @postgres @proxy', async ({ page, filled }) => {
  await page.goto(`${filled.url}/work-pools`);
  await page.getByRole('link', { name: 'seeded-pool' }).waitFor();
  await look(page, 'work-pools');
  await page.getByRole('link', { name: 'seeded-pool' }).click();
  await expect(page.getByRole('link', { name: 'seeded-worker' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'seeded-queue' })).toBeVisible();
  await look(page, 'work-pool');
  await page.getByRole('tab', { name: 'Deployments' }).click();
  await expect(page.getByRole('link', { name: 'seeded-deployment' })).toBeVisible();
  await page.getByRole('link', { name: 'seeded-queue' }).click();
  await page.waitForURL(/\/work-queues\/work-queue\//);
  await expect(
    page.getByText('though the pool has one worker online').or(page.getByText('has no online worker')),
  ).toBeVisible();
  await look(page, 'work-queue');
  await page.goto(`${filled.url}/work-pools/work-pool/seeded-pool/queue/seeded-queue`);
  await page.waitForURL(/\/work-queues\/work-queue\//);
  await page.goto(`${filled.url}/work-pools/work-pool/seeded-pool/worker/seeded-worker`);
  await expect(page.getByText('Last heartbeat', { exact: true })).toBeVisible();
  await look(page, 'worker');
  await page.goto(`${filled.url}/work-pools/work-pool/seeded-pool/worker/nobody`);
  await expect(page.getByText('The pool has no such worker')).toBeVisible();
});

test('a pool of a chosen type is created, edited, paused, resumed and deleted', async ({ page, filled }) => {
  const read = () => get<Pool>(filled.api, '/work_pools/made-here');
  await page.goto(`${filled.url}/work-pools`);
  await page.getByRole('link', { name: 'New work pool' }).click();
  await page.getByRole('link', { name: 'Docker' }).waitFor();
  await look(page, 'work-pool-types');
  await page.getByRole('link', { name: /subprocess/ }).click();
  await page.getByLabel('Name *').fill('made-here');
  await page.getByLabel('Runs at a time').fill('4');
  await page.getByLabel(/^Working Directory/).fill('/srv/flows');
  await look(page, 'work-pool-create');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByText('prefect worker start --pool "made-here"')).toBeVisible();
  const created = await read();
  expect(created).toMatchObject({ type: 'process', concurrency_limit: 4 });
  expect(created.base_job_template.variables.properties['working_dir']?.default).toBe('/srv/flows');
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Runs at a time').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('0, no limit')).toBeVisible();
  const edited = await read();
  expect(edited.concurrency_limit).toBeNull();
  expect(edited.base_job_template).toEqual(created.base_job_template);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  const cure = page.getByRole('button', { name: 'Resume the work pool' });
  await expect(cure).toBeVisible();
  expect((await read()).is_paused).toBe(true);
  await cure.click();
  await expect(cure).toBeHidden();
  expect((await read()).is_paused).toBe(false);
  await page.getByRole('tab', { name: 'Base job template' }).click();
  await expect(page.getByRole('textbox', { name: 'Base job template' })).toContainText('job_configuration');
  await look(page, 'work-pool-template');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'As commands…' }).click();
  await expect(page.getByRole('dialog', { name: 'As commands' })).toContainText(
    'prefect worker start --pool made-here',
  );
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete work pool' }).click();
  await page.waitForURL(/\/work-pools$/);
  expect((await fetch(`${filled.api}/work_pools/made-here`)).status).toBe(404);
});

test('a queue is added, edited, paused and deleted; a worker is removed', async ({ page, filled }) => {
  await post(filled.api, '/work_pools/', { name: 'queued', type: 'process' });
  await post(filled.api, '/work_pools/queued/workers/heartbeat', { name: 'gone', heartbeat_interval_seconds: 30 });
  await page.goto(`${filled.url}/work-pools/work-pool/queued`);
  await page.getByRole('button', { name: 'New queue' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('urgent');
  await dialog.getByLabel('Priority').fill('1');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('link', { name: 'urgent' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Runs at a time').fill('2');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('0 of 2')).toBeVisible();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Resume the work queue' })).toBeVisible();
  const queue = await get<object>(filled.api, '/work_pools/queued/queues/urgent');
  expect(queue).toMatchObject({ priority: 1, concurrency_limit: 2, is_paused: true });
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete queue' }).click();
  await page.waitForURL(/\/work-pools\/work-pool\/queued$/);
  expect((await fetch(`${filled.api}/work_pools/queued/queues/urgent`)).status).toBe(404);
  await page.getByRole('link', { name: 'gone' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove worker' }).click();
  await page.waitForURL(/\/work-pools\/work-pool\/queued$/);
  expect(await post<object[]>(filled.api, '/work_pools/queued/workers/filter', {})).toEqual([]);
});

test('a pool, a deployment and a flow that do not exist are reported as missing, not as errors', async ({
  page,
  filled,
  allowed,
}) => {
  allowed.statuses.push(404);
  const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
  for (const path of [
    'work-pools/work-pool/nobody',
    `work-queues/work-queue/${id}`,
    `deployments/deployment/${id}`,
    `flows/flow/${id}`,
  ]) {
    await page.goto(`${filled.url}/${path}`);
    await expect(page.getByText('It was deleted or never existed')).toBeVisible();
  }
});
