import { post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

const HOSTILE = '<img src=x onerror="window.hacked = 1"> [go](javascript:window.hacked=1) [file](file:///etc/passwd)';

test('an empty server explains how to make an artifact', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  await page.goto(`${server.url}/artifacts`);
  await expect(page.getByText('No artifacts yet')).toBeVisible();
  await look(page, 'artifacts-empty');
});

test('artifacts are listed by key, with every version of each @postgres @proxy', async ({ page, filled }) => {
  for (const version of [1, 2, 3]) {
    const data = `# Version ${version}\n\n${HOSTILE}\n\n[docs](https://example.com/docs)`;
    await post(filled.api, '/artifacts/', { key: 'versions', type: 'markdown', data, description: 'Grows **daily**' });
  }
  await page.goto(`${filled.url}/artifacts`);
  await expect(page.getByRole('link', { name: 'versions' })).toBeVisible();
  await expect(page.getByText('Grows daily')).toBeVisible();
  await look(page, 'artifacts');
  await page.getByRole('searchbox').fill('version');
  await expect(page).toHaveURL(/q=version/);
  await page.getByRole('link', { name: 'versions' }).click();
  await expect(page.getByRole('heading', { name: 'Version 3' })).toBeVisible();
  const content = page.getByRole('region', { name: 'Content' });
  await expect(content.getByRole('link')).toHaveAttribute('href', 'https://example.com/docs');
  await expect(content.getByRole('link')).toHaveAttribute('rel', /noopener/);
  await expect(content.locator('img')).toHaveCount(0);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  await look(page, 'artifact-versions');
  await page.getByRole('region', { name: 'Versions' }).getByRole('link').nth(2).click();
  await expect(page.getByRole('heading', { name: 'Version 1' })).toBeVisible();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete the artifact' }).click();
  await expect(page.getByRole('heading', { name: 'Version 3' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Versions' }).getByRole('link')).toHaveCount(2);
});

test('each type of artifact has its own view', async ({ page, filled }) => {
  const show = async (artifact: object) => {
    const { id } = await post(filled.api, '/artifacts/', artifact);
    await page.goto(`${filled.url}/artifacts/artifact/${id}`);
    return page.getByRole('region', { name: 'Content' });
  };
  const rows = [
    { region: 'eu', rows: 9 },
    { region: HOSTILE, rows: 10 },
    { region: 'us', rows: 1 },
  ];
  const table = await show({ key: 'regions-sorted', type: 'table', data: JSON.stringify(rows) });
  await table.getByRole('button', { name: 'rows' }).click();
  await expect(table.getByRole('row').nth(1)).toContainText('us');
  await expect(table.getByRole('row').nth(3)).toContainText(HOSTILE);
  await look(page, 'artifact-table');
  const progress = await show({ key: 'loading-half', type: 'progress', data: 50 });
  await expect(progress.getByText('50 %')).toBeVisible();
  const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
  const image = await show({ key: 'pixel', type: 'image', data: pixel });
  await expect(image.getByRole('img')).toHaveAttribute('src', pixel);
  const elsewhere = await show({ type: 'image', data: 'https://example.com/picture.png' });
  await expect(elsewhere.getByRole('link')).toHaveAttribute('href', 'https://example.com/picture.png');
  const hostile = await show({ type: 'image', data: 'javascript:window.hacked=1' });
  await expect(hostile.getByText('javascript:window.hacked=1')).toBeVisible();
  await expect(hostile.getByRole('link')).toHaveCount(0);
});

test('the page of a run shows its artifacts', async ({ page, filled }) => {
  test.skip(!filled.seeded.hasFlows, 'no real flows here');
  await page.goto(`${filled.url}/runs?flow=daily-report&state=COMPLETED`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await page.getByRole('tab', { name: 'Artifacts' }).click();
  await expect(page.getByRole('link', { name: 'regions' })).toBeVisible();
  await look(page, 'flow-run-artifacts');
});
