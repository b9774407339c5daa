/**
 * Whoever may write may store what a browser could choke on. Every page answers a reader all the same: no work of it takes
 * longer than this.
 */
import type { Page } from '@playwright/test';
import { isFullRun } from '../../server/test/support/full-run.ts';
import { slowness } from '../../server/test/support/machine.ts';
import { post } from './call.ts';
import { startMcpServer } from './fill/mcp-server.ts';
import { fillServers, organization } from './fill/servers.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';
import type { RunningServer } from './running-server.ts';
import { LONG, many, named, worstMarkdown, worstSchemas, worstTables, worstValues } from './worst-content.ts';

const MOST_MILLISECONDS = 2000;
/** Frames in a row without a long task. */
const FRAMES_AT_REST = 20;

test.setTimeout(600_000);

test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Object.assign(window, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
  });
});

/** Waits for what the page shows, and for its answer to an input. */
async function answers(page: Page, url: string, shows: ReturnType<Page['locator']>, name: string): Promise<void> {
  await test.step(name, async () => {
    await page.goto(url);
    await expect(shows.first(), name).toBeVisible();
    await page.mouse.wheel(0, 400);
    // What the page does after that, an editor or a worker, comes before it is at rest.
    const longest = await page.evaluate(async (frames) => {
      const { tasks } = window as unknown as { tasks: number[] };
      for (let quiet = 0, known = 0; quiet < frames; quiet += 1) {
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        if (tasks.length !== known || document.querySelector('main [aria-label="Loading"]')) quiet = 0;
        known = tasks.length;
      }
      return Math.max(0, ...tasks);
    }, FRAMES_AT_REST);
    test.info().annotations.push({ type: 'longest', description: `${name}: ${longest} ms` });
    if (process.env['SIGNALBOX_TEST_PRINT']) console.log(`${name}: ${longest} ms`);
    if (isFullRun) expect(longest, name).toBeLessThan(MOST_MILLISECONDS * slowness());
  });
}

const head = (page: Page) => page.getByRole('heading', { level: 1 });

async function deploy({ url }: RunningServer, body: object): Promise<string> {
  const flow = await post(`${url}/api`, '/flows/', { name: 'worst' });
  return (await post(`${url}/api`, '/deployments/', { flow_id: flow.id, name: crypto.randomUUID(), ...body })).id;
}

test('the schemas of parameters', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  for (const [name, properties] of Object.entries(worstSchemas)) {
    const parameter_openapi_schema = { type: 'object', properties };
    const id = await deploy(server, { parameter_openapi_schema, enforce_parameter_schema: false });
    const deployment = `${server.url}/deployments/deployment/${id}`;
    const form = page.getByRole('region', { name: 'Parameters', exact: true });
    await answers(page, `${deployment}/run`, form.locator('input, textarea, select, .cm-content, p'), `${name}, run`);
    if (name === 'union') await look(page, 'worst-union');
    if (name === 'fields') await look(page, 'worst-fields');
    await answers(page, `${deployment}?tab=parameters`, head(page), `${name}, shown`);
    await answers(page, `${deployment}/edit`, head(page), `${name}, edited`);
  }
});

test('the values of parameters, of runs and of deployments', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  const api = `${server.url}/api`;
  const flow = await post(api, '/flows/', { name: 'values' });
  for (const [name, value] of [...Object.entries(worstValues), ['many names', undefined] as const]) {
    const parameters = value === undefined ? named(10_000, () => 1) : { value };
    const tags = name === 'text' ? many(1000, (n) => `tag-${n}`) : [];
    const run = await post(api, '/flow_runs/', { flow_id: flow.id, name: `run of ${name}`, parameters, tags });
    await answers(page, `${server.url}/runs/flow-run/${run.id}?tab=parameters`, head(page), `${name}, run`);
    await answers(page, `${server.url}/runs`, page.getByRole('link', { name: `run of ${name}` }), `${name}, runs`);
    const schema = { type: 'object', properties: { value: {} } };
    const id = await deploy(server, {
      parameters,
      tags,
      description: LONG.slice(0, 100_000),
      parameter_openapi_schema: schema,
      enforce_parameter_schema: false,
      job_variables: named(2000, String),
    });
    const deployment = `${server.url}/deployments/deployment/${id}`;
    await answers(page, deployment, head(page), `${name}, deployment`);
    await answers(page, `${deployment}?tab=parameters`, head(page), `${name}, deployment's parameters`);
    await answers(page, `${deployment}?tab=configuration`, head(page), `${name}, deployment's configuration`);
    await answers(page, `${deployment}/run`, head(page), `${name}, new run`);
  }
});

test('Markdown, tables and other artifacts', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  const show = async (name: string, artifact: object) => {
    const { id } = await post(`${server.url}/api`, '/artifacts/', { key: name.replaceAll(/\W/g, '-'), ...artifact });
    const content = page.getByRole('region', { name: 'Content', exact: true }).first();
    await answers(page, `${server.url}/artifacts/artifact/${id}`, content, name);
  };
  for (const [name, data] of Object.entries(worstMarkdown)) {
    await show(`markdown-${name.toLowerCase()}`, {
      type: 'markdown',
      data,
      description: name === 'one word' ? null : data,
    });
    if (name === 'strikes') await look(page, 'worst-markdown');
  }
  for (const [name, data] of Object.entries(worstTables)) {
    await show(`table-${name}`, { type: 'table', data: JSON.stringify(data) });
    if (name === 'thousands of columns') await look(page, 'worst-table');
  }
  for (const [name, data] of Object.entries(worstValues)) await show(`result-${name}`, { type: 'result', data });
  await answers(page, `${server.url}/artifacts`, page.getByRole('link', { name: 'result-depth' }), 'artifacts');
});

test('the question of a paused run', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  const api = `${server.url}/api`;
  const flow = await post(api, '/flows/', { name: 'asks' });
  for (const [name, properties] of Object.entries(worstSchemas)) {
    const details = {
      pause_reschedule: false,
      pause_timeout: '2999-01-01T00:00:00Z',
      run_input_keyset: { schema: 'ask-schema', response: 'ask-response' },
    };
    const run = await post(api, '/flow_runs/', { flow_id: flow.id, state: { type: 'PAUSED', state_details: details } });
    const put = (key: string, value: unknown) =>
      post<unknown>(api, `/flow_runs/${run.id}/input`, { key, value: JSON.stringify(value) });
    await put('ask-schema', { type: 'object', properties });
    await put('ask-description', worstMarkdown['strikes']);
    await answers(
      page,
      `${server.url}/runs/flow-run/${run.id}`,
      page.getByRole('region', { name: 'Input', exact: true }),
      name,
    );
  }
});

test('block types and blocks, work pools, events, variables, automations and logs', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  const api = `${server.url}/api`;
  for (const [index, [name, properties]] of Object.entries(worstSchemas).entries()) {
    const slug = `worst-${index}`;
    const type = await post(api, '/block_types/', {
      name: `Worst ${index}`,
      slug,
      description: LONG.slice(0, 100_000),
    });
    const fields = { type: 'object', title: slug, properties };
    const schema = await post(api, '/block_schemas/', { block_type_id: type.id, fields, capabilities: [] });
    const data = { value: LONG, ...named(2000, String) };
    const block = await post(api, '/block_documents/', {
      name: slug,
      data,
      block_type_id: type.id,
      block_schema_id: schema.id,
    });
    await answers(page, `${server.url}/blocks/catalog/${slug}`, head(page), `${name}, block type`);
    await answers(page, `${server.url}/blocks/catalog/${slug}/create`, head(page), `${name}, new block`);
    await answers(page, `${server.url}/blocks/block/${block.id}`, head(page), `${name}, block`);
    await answers(page, `${server.url}/blocks/block/${block.id}/edit`, head(page), `${name}, block edited`);
    const base_job_template = { job_configuration: named(200, String), variables: { type: 'object', properties } };
    const pool = { name: slug, type: 'process', base_job_template, description: LONG };
    // The server refuses a template whose defaults do not fit its schema.
    const isStored = await post(api, '/work_pools/', pool).then(
      () => true,
      () => false,
    );
    if (!isStored) continue;
    await answers(page, `${server.url}/work-pools/work-pool/${slug}?tab=template`, head(page), `${name}, pool`);
    await answers(page, `${server.url}/work-pools/work-pool/${slug}/edit`, head(page), `${name}, pool edited`);
  }
  const event = {
    ...{ id: crypto.randomUUID(), occurred: new Date().toISOString(), event: 'worst' },
    resource: { 'prefect.resource.id': 'worst.event', label: LONG.slice(0, 400_000), ...named(400, String) },
    related: many(50, (n) => ({
      'prefect.resource.id': `r.${n}`,
      'prefect.resource.role': 'a',
      'prefect.resource.name': LONG.slice(0, 2000),
    })),
    payload: named(5000, String),
  };
  await post(api, '/events', [event]);
  await answers(page, `${server.url}/events/event/${event.occurred.slice(0, 10)}/${event.id}`, head(page), 'event');
  await answers(page, `${server.url}/events`, head(page), 'events');
  await post(api, '/variables/', { name: 'worst', value: named(200, String), tags: many(1000, (n) => `tag-${n}`) });
  await answers(page, `${server.url}/variables`, page.getByText('worst', { exact: true }), 'variables');
  const flow = await post(api, '/flows/', { name: LONG.slice(0, 100_000), tags: many(1000, (n) => `tag-${n}`) });
  await answers(page, `${server.url}/flows`, head(page), 'flows');
  await answers(page, `${server.url}/flows/flow/${flow.id}`, head(page), 'flow');
  const run = await post(api, '/flow_runs/', {
    flow_id: flow.id,
    state: { type: 'FAILED', message: `${LONG}\n  File "a.py", line 1, in a\n`.repeat(1) },
  });
  await answers(page, `${server.url}/runs/flow-run/${run.id}`, head(page), 'failed run');
  const logs = many(20, (n) => ({
    name: 'a',
    level: 20,
    flow_run_id: run.id,
    timestamp: new Date().toISOString(),
    message: n === 0 ? 'line\n'.repeat(5000) : 'a'.repeat(20_000),
  }));
  await post(api, '/logs/', logs as unknown as object);
  await answers(page, `${server.url}/runs/flow-run/${run.id}?tab=logs`, head(page), 'logs');
});

test('the tools of a server, and what they answer', async ({ page, startEmpty }) => {
  const server = await startEmpty({ SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true' });
  const filled = await fillServers(server);
  const tools = Object.entries(worstSchemas).map(([name, properties], index) => ({
    ...{ name: `tool_${index}`, description: `${name} ${LONG.slice(0, 5000)}` },
    inputSchema: { type: 'object', properties },
  }));
  const result = {
    content: many(3000, (n) => ({ type: 'text', text: n === 0 ? LONG.slice(0, 200_000) : `part ${n}` })),
    structuredContent: named(5000, String),
  };
  const upstream = await startMcpServer([
    ...tools.filter(({ inputSchema }) => JSON.stringify(inputSchema).length < 100_000),
    { name: 'answers', inputSchema: { type: 'object', properties: {} }, result },
    ...many(300, (n) => ({ name: `small_${n}`, inputSchema: { type: 'object' } })),
  ]);
  await filled.ask('POST', `${organization}/servers`, {
    ...{ slug: 'worst', name: 'Worst', kind: 'external', defaultRole: 'viewer', external: { url: upstream.url } },
  });
  await filled.ask('POST', `${organization}/servers/worst/refresh`).catch(() => undefined);
  await filled.signIn(page, filled.grace);
  const address = `${server.url}/servers/worst`;
  await answers(page, `${address}?tab=capabilities`, page.getByText('tool_0', { exact: true }), 'capabilities');
  for (const [index, { name }] of tools.entries()) {
    await answers(page, `${address}?tab=capabilities&name=${name}`, head(page), `tool ${index}, shown`);
    await answers(page, `${address}?tab=try&name=${name}`, head(page), `tool ${index}, tried`);
  }
  await answers(page, `${address}?tab=try&name=answers`, head(page), 'the tool that answers');
  await page
    .getByRole('button', { name: /^(Call|Run|Try)/ })
    .last()
    .click();
  await expect(page.getByRole('status').filter({ hasText: 'Result' })).toBeVisible();
  await look(page, 'worst-result');
  await answers(page, `${address}?tab=approvals`, head(page), 'approvals');
  await upstream.stop();
  await filled.upstream.stop();
});
