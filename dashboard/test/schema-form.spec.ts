import type { Page } from '@playwright/test';
import { get, post } from './call.ts';
import { everyKind } from './every-kind.ts';
import { expect, type FilledServer, test } from './fixtures.ts';
import { writeJson } from './json-editor.ts';
import { look } from './look.ts';

interface Run {
  readonly name: string;
  readonly parameters: Record<string, unknown>;
  readonly tags: string[];
  readonly state_name: string;
}

let made = 0;

async function deploy({ api }: FilledServer, schema: object = everyKind, more: object = {}): Promise<string> {
  made += 1;
  const flow = await post(api, '/flows/', { name: 'every-kind' });
  const body = { name: `every-kind-${made}`, flow_id: flow.id, parameter_openapi_schema: schema, ...more };
  return (await post(api, '/deployments/', body)).id;
}

async function openForm(page: Page, filled: FilledServer, id: string): Promise<void> {
  await page.goto(`${filled.url}/deployments/deployment/${id}/run`);
  await expect(page.getByRole('heading', { name: 'Parameters' })).toBeVisible();
}

async function runOf(page: Page, { api }: FilledServer): Promise<Run> {
  await page.waitForURL(/\/runs\/flow-run\//);
  return get<Run>(api, `/flow_runs/${page.url().split('/').at(-1)}`);
}

test('a run is started with a field of every kind @quick @postgres @proxy', async ({ page, filled }) => {
  const block = await secretBlock(filled);
  await openForm(page, filled, await deploy(filled, everyKind, { parameters: { count: 5 }, tags: ['own'] }));
  await look(page, 'run-form');
  await expect(page.getByLabel('count', { exact: true })).toHaveValue('5');
  await page.getByLabel('name *').fill('spring');
  await page.getByLabel('on', { exact: true }).check();
  await page.getByLabel('color', { exact: true }).selectOption('blue');
  await page.getByLabel('when', { exact: true }).fill('2026-07-01T12:30');
  await page.getByLabel('password', { exact: true }).fill('hush');
  await page.getByLabel('address', { exact: true }).selectOption('Address');
  await page.getByLabel('Street *').fill('Main Street 1');
  await page.getByRole('button', { name: 'Add to regions' }).click();
  await page.getByRole('textbox').and(page.locator('[id$="regions_1"]')).fill('us');
  await writeJson(page, 'free', '{"a": [1, 2]}');
  await page.getByLabel('key', { exact: true }).selectOption('integer');
  await page.locator('[id$="_key"]').fill('7');
  await page.getByLabel('credentials', { exact: true }).selectOption(block.name);
  await page.getByLabel('Name', { exact: true }).fill('a run of the form');
  await page.getByLabel('Tags', { exact: true }).fill('by-hand,');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const run = await runOf(page, filled);
  expect(run.name).toBe('a run of the form');
  expect(run.tags.toSorted()).toEqual(['by-hand', 'own']);
  expect(run.parameters).toEqual({
    name: 'spring',
    count: 5,
    on: true,
    color: 'blue',
    // Berlin, in summer.
    when: '2026-07-01T10:30:00.000Z',
    wait: 'PT30S',
    password: 'hush',
    address: { street: 'Main Street 1' },
    regions: ['eu', 'us'],
    free: { a: [1, 2] },
    key: 7,
    credentials: { $ref: { block_document_id: block.id } },
  });
});

test('missing values are reported at their fields, and nothing is sent', async ({ page, filled }) => {
  await openForm(page, filled, await deploy(filled));
  await page.getByLabel('count', { exact: true }).fill('many');
  await writeJson(page, 'free', '{"a": ');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByText('A value is needed.')).toBeVisible();
  await expect(page.getByText('This must be a whole number.')).toBeVisible();
  await expect(page.getByText('This is not JSON')).toBeVisible();
  await look(page, 'run-form-problems');
  expect(page.url()).toContain('/run');
  await page.getByLabel('count', { exact: true }).fill('2');
  await writeJson(page, 'free', '');
  await page.getByLabel('name *').fill('x');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  expect((await runOf(page, filled)).parameters).toMatchObject({ name: 'x', count: 2 });
});

test('the values can be edited as one JSON text', async ({ page, filled }) => {
  await openForm(page, filled, await deploy(filled));
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  await writeJson(page, 'Parameters as JSON', '[1]');
  await expect(page.getByText('This must be an object')).toBeVisible();
  await writeJson(page, 'Parameters as JSON', '{"name": "typed", "count": 4, "tree": {"kids": []}}');
  await look(page, 'run-form-json');
  await page.getByRole('button', { name: 'Form', exact: true }).click();
  await expect(page.getByLabel('name *')).toHaveValue('typed');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  expect((await runOf(page, filled)).parameters).toMatchObject({ name: 'typed', count: 4, tree: { kids: [] } });
});

test('an error of the server is shown at its field', async ({ page, filled, allowed }) => {
  allowed.statuses.push(409);
  const regions = { title: 'regions', type: 'array', items: { type: 'string' }, uniqueItems: true, position: 0 };
  const id = await deploy(filled, { type: 'object', properties: { regions } });
  await openForm(page, filled, id);
  for (const place of [0, 1]) {
    await page.getByRole('button', { name: 'Add to regions' }).click();
    await page.getByLabel(`regions-${place + 1}`).fill('eu');
  }
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByText('non-unique')).toBeVisible();
  expect(page.url()).toContain('/run');
});

async function secretBlock({ api }: FilledServer): Promise<{ readonly id: string; readonly name: string }> {
  const type = await get<{ id: string }>(api, '/block_types/slug/secret');
  const [schema] = await post<{ id: string }[]>(api, '/block_schemas/filter', {
    block_schemas: { block_type_id: { any_: [type.id] } },
  });
  made += 1;
  const name = `form-secret-${made}`;
  const body = { name, block_type_id: type.id, block_schema_id: schema?.id, data: { value: 'hidden' } };
  return { id: (await post(api, '/block_documents/', body)).id, name };
}
