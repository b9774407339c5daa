import type { Page } from '@playwright/test';

/** Empties the editor first: when text replaces text, Chromium styles it inline, which the content policy blocks. */
export async function writeJson(page: Page, label: string, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: label, exact: true });
  await editor.press('Control+a');
  await editor.press('Delete');
  await editor.fill(text);
}
