import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

test('the settings page says what is stored, and changes the look of this browser @postgres @proxy', async ({
  page,
  filled,
}) => {
  await page.goto(`${filled.url}/settings`);
  await expect(page.getByRole('region', { name: 'Retention' })).toContainText('deleted after 7 d');
  await look(page, 'settings');
  await page.getByRole('button', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Larger' }).click();
  await page.getByRole('button', { name: 'UTC' }).click();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-density', 'comfortable');
  await expect(page.getByText(/\d UTC$/)).toBeVisible();
});
