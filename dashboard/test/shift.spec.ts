/**
 * No page moves its parts while it loads, on a desktop and on a phone. Prints for each page how far its parts move, its
 * requests to the API and its bytes.
 */
import { post } from './call.ts';
import { crawl } from './crawl.ts';
import { expect, type FilledServer, test } from './fixtures.ts';
import { organizationPages, startOrganization } from './organization.ts';
import { measurePages, type PageCost } from './page-cost.ts';

const MOST_SHIFT = 0.02;
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

test.use({ isOwn: true });

for (const size of sizes) {
  test(`no page of a workspace moves its parts, at ${size.width} pixels`, async ({ page, filled, allowed }) => {
    test.setTimeout(480_000);
    // The form of a backfill begins with a week, which has too many dates of a schedule for each minute.
    allowed.statuses.push(422);
    await page.setViewportSize(size);
    const read = await measurePages(page);
    const costs = new Map<string, PageCost>();
    const look = async (path: string) => void costs.set(path, await read());
    await crawl(page, filled.url, look);
    for (const path of await furtherPages(filled)) {
      await test.step(path, async () => {
        await page.goto(filled.url + path);
        await expect(page.locator('h1')).toBeVisible();
        await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
        await look(path);
      });
    }
    judge(costs);
  });
}

test('no page of people and MCP servers moves its parts', async ({ page }) => {
  test.setTimeout(480_000);
  const shown = await startOrganization();
  try {
    await shown.filled.signIn(page, shown.filled.grace);
    const read = await measurePages(page);
    const costs = new Map<string, PageCost>();
    for (const size of sizes) {
      await page.setViewportSize(size);
      for (const path of organizationPages) {
        await test.step(path, async () => {
          await page.goto(shown.url + path);
          await expect(page.locator('h1')).toBeVisible();
          await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
          costs.set(`${path} at ${size.width}`, await read());
        });
      }
    }
    judge(costs);
  } finally {
    await page.goto('about:blank');
    await shown.stop();
  }
});

/** The forms and tabs that the crawl takes for further pages of a kind, and the run that waits for a person. */
async function furtherPages({ api, seeded }: FilledServer): Promise<readonly string[]> {
  const deployments = await post<{ id: string }[]>(api, '/deployments/filter', {});
  const paused = await post<{ id: string }[]>(api, '/flow_runs/filter', {
    flow_runs: { state: { type: { any_: ['PAUSED'] } } },
  });
  const forms = deployments.flatMap(({ id }) =>
    ['run', 'backfill', 'edit', 'duplicate'].map((form) => `/deployments/deployment/${id}/${form}`),
  );
  const runTabs = ['parameters', 'inputs', 'artifacts', 'states', 'details'];
  const deploymentTabs = ['backfills', 'parameters', 'versions', 'details'];
  return [
    ...forms,
    `/deployments/deployment/${seeded.deployment}/run?from=${seeded.run}`,
    ...paused.map(({ id }) => `/runs/flow-run/${id}`),
    ...runTabs.map((tab) => `/runs/flow-run/${seeded.run}?tab=${tab}`),
    ...deploymentTabs.map((tab) => `/deployments/deployment/${seeded.deployment}?tab=${tab}`),
    `/runs/flow-run/${seeded.run}?view=graph`,
    '/runs?tab=task-runs',
  ];
}

/** Prints the costs, and asserts that nothing moves. */
function judge(costs: ReadonlyMap<string, PageCost>): void {
  const lines = [...costs].map(
    ([path, { shift, calls, bytes }]) =>
      `${shift.toFixed(3)}  ${String(calls).padStart(2)} calls  ${String(Math.ceil(bytes / 1000)).padStart(4)} kB  ${path}`,
  );
  console.log(lines.join('\n'));
  const moving = [...costs].filter(([, { shift }]) => shift > MOST_SHIFT);
  expect(moving.map(([path, { shift, moved }]) => [path, shift.toFixed(3), ...moved])).toEqual([]);
}
