import type { APIRequestContext } from '@playwright/test';
import { get, post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

const newName = () => `auto-${crypto.randomUUID().slice(0, 8)}`;

async function send(request: APIRequestContext, api: string, event: string, resource: string) {
  await request.post(`${api}/events`, {
    data: [
      {
        id: crypto.randomUUID(),
        occurred: new Date().toISOString(),
        event,
        resource: { 'prefect.resource.id': resource },
      },
    ],
  });
}

async function named(request: APIRequestContext, api: string, name: string) {
  const answer = await request.post(`${api}/automations/filter`, {
    data: { automations: { name: { any_: [name] } } },
  });
  return (await answer.json()) as { id: string; enabled: boolean; trigger: object; actions: object[] }[];
}

test('an automation on a run state is built, switched off, changed and deleted @quick @postgres @proxy', async ({
  page,
  filled,
}) => {
  const name = newName();
  await page.goto(`${filled.url}/automations/create?template=run-stuck`);
  await expect(page.getByText('A flow run stays Running for 1 h.')).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('All runs, or those of a flow').fill('seeded');
  await page.getByRole('option', { name: 'seeded-flow' }).click();
  await expect(page.getByText('A flow run (flow seeded-flow) stays Running for 1 h.')).toBeVisible();
  await look(page, 'automation-create');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  const [made] = await named(page.request, filled.api, name);
  expect(made?.trigger).toMatchObject({
    posture: 'Proactive',
    after: ['prefect.flow-run.Running'],
    expect: ['prefect.flow-run.*'],
    for_each: ['prefect.resource.id'],
    match_related: { 'prefect.resource.id': [`prefect.flow.${filled.seeded.flow}`] },
    within: 3600,
  });
  await look(page, 'automation');

  await page.getByRole('switch', { name: `${name} is on` }).click();
  await expect(page.getByText('Off', { exact: true })).toBeVisible();
  await expect.poll(async () => (await named(page.request, filled.api, name))[0]?.enabled).toBe(false);

  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Pending' }).click();
  await page.getByLabel('Action 1').selectOption('change-flow-run-state');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('stays Running or Pending for 1 h')).toBeVisible();
  await expect(page.getByText('Change the state of the run to cancelled')).toBeVisible();

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete automation' }).click();
  await expect(page).toHaveURL(/\/automations$/);
  expect(await named(page.request, filled.api, name)).toEqual([]);
});

test('a dry run reports how often a trigger would have fired', async ({ page, filled }) => {
  const event = `oven.${crypto.randomUUID().slice(0, 8)}`;
  for (const oven of ['oven.1', 'oven.2', 'oven.1']) await send(page.request, filled.api, event, oven);
  await page.goto(`${filled.url}/automations/create`);
  await page.getByLabel('It waits for').selectOption('event');
  await page.getByLabel('Events: names').fill(event);
  await page.getByLabel('Labels of the resource').fill('{}');
  await page.getByLabel('Times').fill('1');
  const dryRun = page.getByRole('region', { name: 'Dry run' });
  await dryRun.getByRole('button', { name: 'Try it' }).click();
  await expect(dryRun.getByRole('status')).toHaveText('It would have fired 3 times; 3 events matched.');
  await page.getByLabel('Labels of the resource').fill('{"prefect.resource.id": "oven.2"}');
  await expect(dryRun).toContainText('The trigger changed after this dry run');
  await dryRun.getByRole('button', { name: 'Try it' }).click();
  await expect(dryRun.getByRole('status')).toHaveText('It would have fired 1 time; 1 event matched.');
  await look(page, 'automation-dry-run');
});

test('an automation shows when and how often it fired', async ({ page, filled }) => {
  const name = newName();
  const event = `bell.${name}`;
  const answer = await page.request.post(`${filled.api}/automations/`, {
    data: {
      name,
      trigger: { type: 'event', posture: 'Reactive', expect: [event], threshold: 1 },
      actions: [{ type: 'do-nothing' }],
    },
  });
  const { id } = (await answer.json()) as { id: string };
  await page.goto(`${filled.url}/automations/automation/${id}`);
  await expect(page.getByText('It has not fired yet.')).toBeVisible();
  await send(page.request, filled.api, event, 'bell.1');
  await expect(page.getByRole('region', { name: 'Recent' })).toContainText('Fired');
  await expect(page.getByText('1 times')).toBeVisible();
  await page.goto(`${filled.url}/automations?name=${name}`);
  await expect(page.getByRole('row').nth(1)).toContainText(`The event ${event} comes`);
  await expect(page.getByRole('row').nth(1)).toContainText('1 ×');
  await look(page, 'automations');
});

test('an automation says why its call was not made: a target that is refused, a host that is away', async ({
  page,
  filled: { api, url },
}) => {
  const { id: block_type_id } = await get<{ id: string }>(api, '/block_types/slug/webhook');
  const [schema] = await post<{ id: string }[]>(api, '/block_schemas/filter', {
    block_schemas: { block_type_id: { any_: [block_type_id] } },
  });
  const reasons = { [`${url}/hook`]: /itself uses/, 'http://127.0.0.1:59999/hook': /refused the connection/ };
  for (const [target, reason] of Object.entries(reasons)) {
    const name = newName();
    const event = `bell.${name}`;
    const block = await post(api, '/block_documents/', {
      name: name.toLowerCase(),
      block_type_id,
      block_schema_id: schema?.id,
      data: { url: target, method: 'POST' },
    });
    const { id } = await post(api, '/automations/', {
      name,
      trigger: { type: 'event', posture: 'Reactive', expect: [event], threshold: 1 },
      actions: [{ type: 'call-webhook', block_document_id: block.id, payload: '{}' }],
    });
    await send(page.request, api, event, 'bell.1');
    await page.goto(`${url}/automations/automation/${id}`);
    await expect(page.getByText('The last action that failed:')).toContainText(reason);
    await expect(page.getByRole('region', { name: 'Recent' })).toContainText(reason);
  }
  await look(page, 'automation-refused');
});

test('triggers in a group are built, reordered and changed in the form', async ({ page, filled }) => {
  const name = newName();
  const trigger = (number: number) => page.getByRole('listitem', { name: `Trigger ${number}`, exact: true });
  const eventOf = async (number: number, event: string) => {
    await trigger(number).getByLabel('It waits for').selectOption('event');
    await trigger(number).getByLabel('Events: names').fill(event);
  };
  await page.goto(`${filled.url}/automations/create`);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('It waits for').selectOption('compound');
  await eventOf(1, 'oven.hot');
  await eventOf(2, 'dough.ready');
  await page.getByRole('button', { name: 'Add a trigger' }).click();
  await trigger(3).getByRole('button', { name: 'Crashed' }).click();
  await page.getByLabel('Fires after').selectOption('count');
  await page.getByLabel('How many').fill('2');
  await expect(
    page.getByText(
      /^2 of these: the event oven.hot comes.*; the event dough.ready comes.*; a flow run becomes Failed or Crashed, within 1 h\.$/,
    ),
  ).toBeVisible();
  await look(page, 'automation-compound');

  await page.getByLabel('It waits for').first().selectOption('sequence');
  await page.getByRole('button', { name: 'Remove trigger 3' }).click();
  await page.getByRole('button', { name: 'Move trigger 2 up' }).click();
  await page.getByLabel('Time between the first and the last').selectOption('any');
  await expect(
    page.getByText(/^In this order: the event dough.ready comes.*; then the event oven.hot comes/),
  ).toBeVisible();
  await page.getByLabel('Action 1').selectOption('do-nothing');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  const [made] = await named(page.request, filled.api, name);
  expect(made?.trigger).toMatchObject({
    type: 'sequence',
    within: null,
    triggers: [{ expect: ['dough.ready'] }, { expect: ['oven.hot'] }],
  });

  await page.getByRole('link', { name: 'Edit' }).click();
  await expect(trigger(1).getByLabel('Events: names')).toHaveValue('dough.ready');
  await trigger(2).getByLabel('It waits for').selectOption('compound');
  await expect(page.getByText(/; then \(all of these: .*\)\.$/)).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Save' })).toBeHidden();
  const [changed] = await named(page.request, filled.api, name);
  expect(changed?.trigger).toMatchObject({
    triggers: [{ expect: ['dough.ready'] }, { type: 'compound', require: 'all' }],
  });
});

test('several triggers are edited as JSON, and an error explains what is invalid', async ({
  page,
  filled,
  allowed,
}) => {
  const name = newName();
  await page.goto(`${filled.url}/automations/create`);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('It waits for').selectOption('json');
  await page.getByLabel('Trigger, as JSON').fill('{"type": "sequence", ');
  await expect(page.getByRole('button', { name: 'Create', exact: true })).toBeDisabled();
  const part = (word: string) => ({ type: 'event', posture: 'Reactive', expect: [word], threshold: 1 });
  const sequence = { type: 'sequence', within: 60, triggers: [part('first'), part('second')] };
  await page.getByLabel('Trigger, as JSON').fill(JSON.stringify(sequence));
  await expect(page.getByText('In this order: the event first comes; then the event second comes')).toBeVisible();
  await page.getByLabel('Action 1').selectOption('run-deployment');
  allowed.statuses.push(422);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('deployment_id is required');
  await page.getByLabel('The deployment').fill('seeded');
  await page.getByRole('option', { name: 'seeded-flow/seeded-deployment' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await expect(page.getByText('Run the deployment seeded-deployment')).toBeVisible();
});

test('an empty list offers templates', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  await page.goto(`${server.url}/automations`);
  await expect(page.getByText('No automations yet')).toBeVisible();
  await look(page, 'automations-empty');
  await page.getByRole('link', { name: 'Notify when a run fails or crashes' }).click();
  await expect(page.getByText('A flow run becomes Failed, TimedOut or Crashed (top-level runs only).')).toBeVisible();
});
