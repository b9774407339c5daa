import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparePython } from '../../server/test/prefect/python.ts';
import { stateEvent } from '../../server/test/support/events.ts';
import { get, post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

interface Run {
  readonly id: string;
  readonly name: string;
  readonly state_name: string;
  readonly parameters: Record<string, unknown>;
  readonly state: { readonly message: string | null } | null;
}

let made = 0;

async function newRun(api: string, state: object): Promise<Run> {
  made += 1;
  const flow = await post(api, '/flows/', { name: 'steered' });
  return post<Run>(api, '/flow_runs/', { flow_id: flow.id, name: `steered-${made}`, state });
}

const readRun = (api: string, id: string) => get<Run>(api, `/flow_runs/${id}`);

async function newestRunOf(api: string, flow: string, more: object = {}): Promise<Run | undefined> {
  const body = { limit: 1, sort: 'START_TIME_DESC', flows: { name: { any_: [flow] } }, flow_runs: more };
  return (await post<Run[]>(api, '/flow_runs/filter', body))[0];
}

test('a run whose task runs the client could not report says so, and names the setting that mends it', async ({
  page,
  filled,
}) => {
  const now = Date.now();
  const run = await newRun(filled.api, { type: 'RUNNING' });
  const timestamp = new Date(now - 60_000).toISOString();
  const line = { name: 'prefect.task_runs', level: 20, timestamp, flow_run_id: run.id };
  const lines = [1, 2].map((number) => ({ ...line, task_run_id: randomUUID(), message: `Finished task ${number}` }));
  await fetch(`${filled.api}/logs/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(lines),
  });
  await post(filled.api, `/flow_runs/${run.id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
  await page.goto(`${filled.url}/runs/flow-run/${run.id}`);
  const panel = page.getByRole('region', { name: 'Task runs that were not recorded' });
  await expect(panel).toContainText('2 task runs were not recorded.');
  await expect(panel.getByRole('listitem').first()).toBeVisible();
  await look(page, 'flow-run-unrecorded');
});

test('a run that waits for input continues with the typed answer @quick @postgres', async ({ page, filled }) => {
  test.skip(!filled.seeded.hasFlows, 'no real flows here');
  test.setTimeout(240_000);
  const { command } = await preparePython(() => {});
  const home = await mkdtemp(join(tmpdir(), 'signalbox-prefect-'));
  const waited = await newestRunOf(filled.api, 'approve');
  const flow = spawn(command, [join(import.meta.dirname, 'fill', 'flows.py'), 'approve'], {
    env: { ...process.env, PREFECT_API_URL: filled.api, PREFECT_HOME: home, PREFECT_SERVER_ANALYTICS_ENABLED: 'false' },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => flow.once('exit', resolve));
  try {
    const paused = { state: { type: { any_: ['PAUSED'] } } };
    const run = async () => (await newestRunOf(filled.api, 'approve', paused))?.id;
    await expect.poll(async () => (await run()) !== waited?.id, { timeout: 60_000 }).toBe(true);
    await page.goto(`${filled.url}/runs/flow-run/${await run()}`);
    const panel = page.getByRole('region', { name: 'Waits for input' });
    await expect(panel.getByRole('textbox', { name: /Reason/ })).toHaveValue('looks good');
    await look(page, 'flow-run-waits');
    await panel.getByRole('button', { name: 'Send and resume' }).click();
    await expect(panel.getByRole('alert').first()).toBeVisible();
    await panel.getByRole('checkbox', { name: /Approved/ }).check();
    await panel.getByRole('textbox', { name: /Reason/ }).fill('within the budget');
    await panel.getByRole('button', { name: 'Send and resume' }).click();
    await expect(page.getByRole('log')).toContainText('answered: True, within the budget', { timeout: 30_000 });
    expect(await ended).toBe(0);
    await page.getByRole('tab', { name: 'Inputs' }).click();
    await expect(page.getByText('paused-1-response').first()).toBeVisible();
  } finally {
    flow.kill();
    await rm(home, { recursive: true, force: true });
  }
});

test('a run is paused, resumed, cancelled and set to another state @quick', async ({ page, filled }) => {
  const run = await newRun(filled.api, { type: 'RUNNING' });
  await page.goto(`${filled.url}/runs/flow-run/${run.id}`);
  const open = async (item: string) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await open('Pause…');
  await page.getByRole('button', { name: 'Pause the run' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(async () => (await readRun(filled.api, run.id)).state_name).toBe('Running');
  await open('Change the state…');
  await page.getByText('Crashed', { exact: true }).click();
  await page.getByLabel('Message').fill('The machine was turned off');
  await page.getByRole('button', { name: 'Set Crashed' }).click();
  await expect(page.getByText('The machine was turned off').first()).toBeVisible();
  expect((await readRun(filled.api, run.id)).state?.message).toBe('The machine was turned off');

  const later = await newRun(filled.api, {
    type: 'SCHEDULED',
    state_details: { scheduled_time: new Date(Date.now() + 86_400_000).toISOString() },
  });
  await page.goto(`${filled.url}/runs/flow-run/${later.id}`);
  await page.getByRole('button', { name: 'Start now' }).click();
  await expect(page.getByRole('button', { name: 'Start now' })).toBeHidden();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await expect.poll(async () => (await readRun(filled.api, later.id)).state_name).toMatch(/Cancel/);
  await open('As commands…');
  await expect(page.getByText(`prefect flow-run inspect ${later.id}`)).toBeVisible();
  await look(page, 'flow-run-commands');
});

test('a run of a deployment is run again with edited parameters', async ({ page, filled }) => {
  const flow = await post(filled.api, '/flows/', { name: 'run-again' });
  const properties = { day: { title: 'day', type: 'string' }, limit: { title: 'limit', type: 'integer', default: 5 } };
  const deployment = await post(filled.api, '/deployments/', {
    name: 'run-again',
    flow_id: flow.id,
    parameter_openapi_schema: { type: 'object', title: 'Parameters', properties },
  });
  const parameters = { day: 'monday', limit: 7 };
  const run = await post(filled.api, `/deployments/${deployment.id}/create_flow_run`, { parameters });
  await page.goto(`${filled.url}/runs/flow-run/${run.id}`);
  await page.getByRole('link', { name: 'Run again…' }).click();
  await expect(page.getByLabel('day', { exact: true })).toHaveValue('monday');
  await page.getByLabel('limit', { exact: true }).fill('8');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL((url) => url.pathname.includes('/runs/flow-run/') && !url.pathname.endsWith(run.id));
  const again = await readRun(filled.api, page.url().split('/').at(-1) as string);
  expect(again.parameters).toEqual({ day: 'monday', limit: 8 });
});

test('a timeline folds idle time, says why attempts failed, and shows errors only', async ({ page, filled }) => {
  const { id } = await newRun(filled.api, { type: 'RUNNING' });
  const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
  const events = (name: string, states: readonly (readonly [type: string, secondsAgo: number, message?: string])[]) => {
    const taskRunId = randomUUID();
    const start_time = at(states[0]?.[1] ?? 0);
    return states.map(([type, secondsAgo, message = ''], index) => {
      const tries = states.slice(0, index + 1).filter(([one]) => one === 'RUNNING').length;
      const end_time = type === 'RUNNING' || type === 'SCHEDULED' ? null : at(secondsAgo);
      return stateEvent({
        type,
        taskRunId,
        flowRunId: id,
        occurred: at(secondsAgo),
        run: { name, run_count: tries, start_time, end_time },
        state: {
          message,
          name: type === 'SCHEDULED' ? 'AwaitingRetry' : `${type.charAt(0)}${type.slice(1).toLowerCase()}`,
        },
      });
    });
  };
  const sent = [
    ...events('extract', [
      ['RUNNING', 1200],
      ['COMPLETED', 1140],
    ]),
    ...events('load', [
      ['RUNNING', 1140],
      ['SCHEDULED', 1080],
      ['RUNNING', 60],
      ['FAILED', 30, "Task run encountered an exception KeyError('currency')"],
    ]),
  ];
  const response = await fetch(`${filled.api}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sent),
  });
  expect(response.status).toBe(204);
  await page.goto(`${filled.url}/runs/flow-run/${id}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect(timeline.getByRole('listitem')).toHaveCount(4);
  await expect(timeline.getByRole('button', { name: "Try 2: KeyError: 'currency'" })).toBeVisible();
  await expect(timeline.getByText('idle time, folded')).toBeVisible();
  await look(page, 'timeline-folded');
  const hidden = timeline.getByRole('button', { name: 'Show the 17 min in which nothing ran' });
  await hidden.click();
  await expect(hidden).toBeHidden();
  await look(page, 'timeline-unfolded');
  await timeline.getByRole('button', { name: 'Fold idle time' }).click();
  await expect(hidden).toBeVisible();
  await page.getByRole('button', { name: 'Errors only' }).click();
  await expect(page).toHaveURL(/errors=true/);
  await expect(timeline.getByRole('button', { name: /^extract/ })).toBeHidden();
  await expect(timeline.getByRole('button', { name: /load/ })).toBeVisible();
  // The rows are reached by the arrow keys.
  await timeline.getByRole('button', { name: /load/ }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(timeline.getByRole('button', { name: /^Try 2/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/task=/);
});

test('j and k lead through the runs of the list', async ({ page, filled }) => {
  const flow = await post(filled.api, '/flows/', { name: 'stepped' });
  const ids: string[] = [];
  for (let made = 0; made < 3; made++) {
    ids.push((await post(filled.api, '/flow_runs/', { flow_id: flow.id, state: { type: 'COMPLETED' } })).id);
  }
  const [oldest, middle, newest] = ids;
  await page.goto(`${filled.url}/runs/flow-run/${middle}`);
  await expect(page.getByRole('button', { name: 'More' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Runs of the list' })).toBeHidden();
  await page.goto(`${filled.url}/runs?flow=stepped`);
  await page.locator(`a[href$="${middle}"]`).click();
  const steps = page.getByRole('navigation', { name: 'Runs of the list' });
  await expect(steps).toContainText('2 of 3');
  await page.keyboard.press('j');
  await expect(page).toHaveURL(new RegExp(`${oldest}$`));
  await expect(steps.getByRole('button', { name: 'Next run (j)' })).toBeDisabled();
  await page.keyboard.press('k');
  await expect(page).toHaveURL(new RegExp(`${middle}$`));
  await page.reload();
  await steps.getByRole('button', { name: 'Previous run (k)' }).click();
  await expect(page).toHaveURL(new RegExp(`${newest}$`));
  await steps.getByRole('link', { name: '1 of 3' }).click();
  await expect(page).toHaveURL(/\/runs\?flow=stepped/);
});

test('a timeline opens subflows in place and follows the selected task', async ({ page, filled }) => {
  test.skip(!filled.seeded.hasFlows, 'no real flows here');
  const run = await newestRunOf(filled.api, 'daily-report', { state: { type: { any_: ['COMPLETED'] } } });
  await page.goto(`${filled.url}/runs/flow-run/${run?.id}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect(timeline.getByRole('button', { name: /^Tasks of clean/ })).toBeVisible();
  const before = await timeline.getByRole('listitem').count();
  await timeline.getByRole('button', { name: /^Tasks of clean/ }).click();
  await expect.poll(() => timeline.getByRole('listitem').count()).toBe(before + 2);
  await look(page, 'flow-run-subflow');
  await timeline.getByRole('button', { name: /unsteady/ }).click();
  await expect(page).toHaveURL(/task=/);
  await page.getByRole('link', { name: 'Open the task run' }).click();
  await expect(page.getByRole('heading', { name: /unsteady/ })).toBeVisible();
});
