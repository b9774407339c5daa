/** Every address that the Prefect client prints, and every address of the reference's dashboard, opens a page here. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { preparePython } from '../../server/test/prefect/python.ts';
import { expect, type FilledServer, test } from './fixtures.ts';

test('the addresses that the client prints open their objects', async ({ page, filled }) => {
  test.skip(!filled.seeded.hasFlows, 'no Python here');
  const { seeded } = filled;
  const [day, event] = seeded.event.split('/');
  const asked = {
    'seeded-flow': ['flow', seeded.flow, {}],
    'seeded-run': ['flow-run', seeded.run, {}],
    'seeded-first': ['task-run', seeded.taskRun, {}],
    'seeded-block': ['block-document', seeded.block, {}],
    'seeded-pool': ['work-pool', 'seeded-pool', {}],
    'seeded-queue': ['work-queue', await queueId(filled), {}],
    'seeded-limit': ['concurrency-limit', seeded.limit, {}],
    'seeded-deployment': ['deployment', seeded.deployment, {}],
    'seeded-automation': ['automation', seeded.automation, {}],
    'seeded-worker': ['worker', 'seeded-worker', { work_pool_name: 'seeded-pool' }],
    Event: ['received-event', event, { occurred: day }],
  };
  const addresses = await addressesOf(filled, asked);
  expect(Object.keys(addresses)).toEqual(Object.keys(asked));
  for (const [name, address] of Object.entries(addresses)) {
    await test.step(address, async () => {
      expect(address.startsWith(filled.url), address).toBe(true);
      await page.goto(address);
      await expect(page.getByRole('heading', { level: 1 })).toContainText(name === 'Event' ? /./ : name);
      await expect(page.getByText('Page not found')).toHaveCount(0);
    });
  }
});

test('the addresses of the reference’s dashboard open pages', async ({ page, filled }) => {
  test.setTimeout(240_000);
  const { seeded } = filled;
  const pool = '/work-pools/work-pool/seeded-pool';
  const deployment = `/deployments/deployment/${seeded.deployment}`;
  const paths = [
    '/dashboard',
    '/runs',
    '/runs?tab=task-runs',
    `/runs/flow-run/${seeded.run}`,
    `/runs/task-run/${seeded.taskRun}`,
    `/flow-runs/flow-run/${seeded.run}`,
    `/task-runs/task-run/${seeded.taskRun}`,
    '/flows',
    `/flows/flow/${seeded.flow}`,
    '/deployments',
    deployment,
    `${deployment}/run`,
    `${deployment}/edit`,
    `${deployment}/duplicate`,
    '/work-pools',
    '/work-pools/create',
    pool,
    `${pool}/edit`,
    `${pool}/queue/seeded-queue`,
    `${pool}/queue/seeded-queue/edit`,
    `${pool}/queue/create`,
    `${pool}/worker/seeded-worker`,
    '/blocks',
    '/blocks/catalog',
    '/blocks/catalog/secret',
    '/blocks/catalog/secret/create',
    '/settings/blocks/catalog',
    '/settings/blocks/catalog/secret/create',
    `/blocks/block/${seeded.block}`,
    `/blocks/block/${seeded.block}/edit`,
    '/variables',
    '/automations',
    '/automations/create',
    `/automations/automation/${seeded.automation}`,
    `/automations/automation/${seeded.automation}/edit`,
    '/events',
    `/events/event/${seeded.event}`,
    '/concurrency-limits',
    `/concurrency-limits/concurrency-limit/${seeded.tagLimit}`,
    `/concurrency-limit/${seeded.limit}`,
    '/artifacts',
    '/artifacts/key/seeded-artifact',
    `/artifacts/artifact/${seeded.artifact}`,
    '/settings',
  ];
  for (const path of paths) {
    await test.step(path, async () => {
      await page.goto(filled.url + path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.getByText('Page not found')).toHaveCount(0);
      await expect(page.getByText('It was deleted or never existed')).toHaveCount(0);
    });
  }
});

async function queueId({ api }: FilledServer): Promise<string> {
  const answer = await fetch(`${api}/work_pools/seeded-pool/queues/seeded-queue`);
  return ((await answer.json()) as { id: string }).id;
}

async function addressesOf({ api }: FilledServer, asked: object): Promise<Record<string, string>> {
  const python = await preparePython(() => {});
  const child = spawn(python.command, [`${import.meta.dirname}/fill/addresses.py`], {
    env: { ...process.env, PREFECT_API_URL: api },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(asked));
  return JSON.parse(await text(child.stdout)) as Record<string, string>;
}
