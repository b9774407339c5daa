/** The commands that pages show, run in a shell: a reader copies them and they work. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { preparePython } from '../../server/test/prefect/python.ts';
import { get, post } from './call.ts';
import { expect, test } from './fixtures.ts';

interface Shown {
  readonly title: string;
  readonly text: string;
}

async function commandsOf(page: Page): Promise<Shown[]> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'As commands…' }).click();
  const figures = page.getByRole('dialog', { name: 'As commands' }).getByRole('figure');
  await expect(figures.first()).toBeVisible();
  return figures.evaluateAll((found) =>
    found.map((figure) => ({
      title: figure.querySelector('figcaption')?.textContent ?? '',
      text: figure.querySelector('code, pre')?.textContent ?? '',
    })),
  );
}

let shell: { readonly home: string; readonly path: string } | undefined;

test.beforeAll(async () => {
  test.setTimeout(600_000);
  const python = await preparePython(console.log).catch(() => undefined);
  test.skip(!python, 'Prefect cannot be installed here');
  if (!python) return;
  const home = await mkdtemp(join(tmpdir(), 'signalbox-commands-'));
  shell = { home, path: `${dirname(python.command)}:${process.env['PATH']}` };
});

test.afterAll(async () => {
  if (shell) await rm(shell.home, { recursive: true, force: true });
});

/** Rejects with what the command printed unless it succeeds. */
async function run(api: string, { text }: Shown): Promise<string> {
  const { path: PATH = '', home: PREFECT_HOME = '' } = shell ?? {};
  const command = text.startsWith('curl') ? text.replace('curl', 'curl -sS --fail-with-body') : text;
  const env = { PATH, PREFECT_HOME, HOME: PREFECT_HOME, PREFECT_API_URL: api, NO_COLOR: '1' };
  return (await promisify(execFile)('sh', ['-c', command], { env })).stdout;
}

test('the commands of an automation, a block and a flow do what they say', async ({ page, filled: { url, api } }) => {
  test.setTimeout(180_000);
  const name = `commands-${crypto.randomUUID().slice(0, 8)}`;
  const trigger = { type: 'event', posture: 'Reactive', expect: ['a'], threshold: 1, within: 0 };
  const automation = await post(api, '/automations/', { name, trigger, actions: [{ type: 'do-nothing' }] });
  const flow = await post(api, '/flows/', { name });
  const [type] = await post<{ id: string }[]>(api, '/block_types/filter', {
    block_types: { slug: { any_: ['secret'] } },
  });
  const [schema] = await post<{ id: string }[]>(api, '/block_schemas/filter', {
    block_schemas: { block_type_id: { any_: [type?.id] } },
  });
  const block = await post(api, '/block_documents/', {
    name,
    data: { value: 'plum-1881' },
    block_type_id: type?.id,
    block_schema_id: schema?.id,
  });

  for (const [path, address] of [
    [`/automations/automation/${automation.id}`, `/automations/${automation.id}`],
    [`/blocks/block/${block.id}`, `/block_documents/${block.id}`],
    [`/flows/flow/${flow.id}`, `/flows/${flow.id}`],
  ] as const) {
    await page.goto(url + path);
    const commands = await commandsOf(page);
    for (const shown of commands.filter(({ title }) => !title.startsWith('Delete'))) {
      expect(await run(api, shown), `${shown.text} reveals nothing`).not.toContain('plum-1881');
    }
    if (path.startsWith('/automations')) expect(await get(api, address)).toMatchObject({ enabled: false });
    const last = commands.at(-1);
    expect(last?.title).toContain('Delete');
    // The page would ask for what is gone.
    await page.goto(`${url}/variables`);
    await run(api, last!);
    expect((await fetch(api + address)).status).toBe(404);
  }
});

test('the palette acts on the automation whose page is open', async ({ page, filled: { url, api } }) => {
  const name = `palette-${crypto.randomUUID().slice(0, 8)}`;
  const trigger = { type: 'event', posture: 'Reactive', expect: ['a'], threshold: 1, within: 0 };
  const { id } = await post(api, '/automations/', { name, trigger, actions: [{ type: 'do-nothing' }] });
  await page.goto(`${url}/automations/automation/${id}`);
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('switch off');
  await page.getByRole('option', { name: 'Switch this automation off' }).click();
  await expect.poll(() => get(api, `/automations/${id}`)).toMatchObject({ enabled: false });
});
