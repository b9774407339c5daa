/** The page that draws the graph of a flow run. */
import { post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

/** A run of six extractions, their checks, a load that takes all of them, a subflow after it, and a report that failed. */
async function newPipeline(api: string): Promise<string> {
  const flow = await post(api, '/flows/', { name: 'pipeline' });
  const run = await post(api, '/flow_runs/', { flow_id: flow.id, name: 'pipeline-1', state: { type: 'RUNNING' } });
  const newTask = async (name: string, givers: readonly string[], type = 'COMPLETED') => {
    const results = givers.map((id) => ({ input_type: 'task_run', id }));
    const body = { name, flow_run_id: run.id, task_key: name, dynamic_key: name, task_inputs: { rows: results } };
    return (await post(api, '/task_runs/', { ...body, state: { type } })).id;
  };
  const checks: string[] = [];
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const extract = await newTask(`extract-${number}`, []);
    checks.push(await newTask(`check-${number}`, [extract]));
  }
  const load = await newTask('load', checks);
  const stand = await newTask('clean-up of everything that was loaded before today', [load]);
  await post(api, '/flow_runs/', {
    flow_id: flow.id,
    name: 'clean-up',
    parent_task_run_id: stand,
    state: { type: 'RUNNING' },
  });
  await newTask('report', [load], 'FAILED');
  return run.id;
}

test('the graph of a run shows its tasks by dependency and chooses one @proxy', async ({ page, filled }) => {
  const run = await newPipeline(filled.api);
  await page.goto(`${filled.url}/runs/flow-run/${run}`);
  await page.getByRole('button', { name: 'Graph' }).click();
  await expect(page).toHaveURL(/view=graph/);
  const graph = page.getByRole('region', { name: 'Graph' });
  const list = graph.getByRole('list', { name: '15 task runs by dependency' });
  await expect(
    list.getByRole('button', { name: /load.*takes results of check-1, check-2, check-3 and 3 more/ }),
  ).toBeVisible();
  await expect(list.getByRole('button', { name: /Subflow.*clean-up/ })).toBeVisible();
  await look(page, 'flow-run-graph');

  await list.getByRole('button', { name: /^Completed load/ }).click();
  await expect(page).toHaveURL(/task=/);
  await expect(page.getByRole('region', { name: /^Logs of load/ })).toBeVisible();
  await page.reload();
  await expect(list.getByRole('button', { name: /^Completed load/ })).toHaveAttribute('aria-pressed', 'true');
  await list.getByRole('button', { name: /^Completed load/ }).press('e');
  await expect(list.getByRole('button', { name: /Failed.*report/ })).toHaveAttribute('aria-pressed', 'true');
  await expect(list.getByRole('button', { name: /Failed.*report/ })).toBeInViewport();
  await look(page, 'flow-run-graph-chosen');

  // The chosen node is in the middle of the canvas now: a click on it gives it up, and a drag does not.
  const canvas = graph.getByRole('img', { name: /Task runs and their dependencies/ });
  const box = await canvas.boundingBox();
  if (!box) throw new Error('The graph has no canvas.');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await expect(graph.getByText(/takes 1 result ·/)).toBeVisible();
  await page.mouse.down();
  await page.mouse.move(x + 40, y, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/task=/);
  await page.mouse.click(x + 40, y);
  await expect(page).not.toHaveURL(/task=/);
});

test('a run without task runs has no graph to choose', async ({ page, filled }) => {
  const run = await post(filled.api, '/flow_runs/', { flow_id: filled.seeded.flow, state: { type: 'PENDING' } });
  await page.goto(`${filled.url}/runs/flow-run/${run.id}?view=graph`);
  await expect(page.getByText('This run has no task runs yet.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Graph' })).toBeHidden();
});

test('a graph that is opened by its address costs one answer, which the timeline needs too', async ({
  page,
  filled,
}) => {
  const run = await newPipeline(filled.api);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/\/api\/.*\/(timeline|graph-v2)/.test(request.url())) asked.push(new URL(request.url()).pathname);
  });
  await page.goto(`${filled.url}/runs/flow-run/${run}?view=graph`);
  await expect(page.getByRole('list', { name: '15 task runs by dependency' })).toBeVisible();
  expect(new Set(asked).size).toBe(1);
  expect(asked[0]).toContain('/timeline');
});

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test('the canvas tells how fingers move it, and no keys', async ({ page, filled }) => {
    const run = await newPipeline(filled.api);
    for (const view of ['graph', 'timeline']) {
      await page.goto(`${filled.url}/runs/flow-run/${run}?view=${view}`);
      await expect(page.getByText('drag with one finger moves')).toBeVisible();
      await expect(page.getByText('Ctrl + wheel zooms')).toBeHidden();
    }
  });
});
