/** An object of each type for the pages of an interface. */

export interface Seed {
  readonly flow: string;
  readonly deployment: string;
  readonly run: string;
  readonly scheduledRun: string;
  readonly taskRun: string;
  readonly artifact: string;
  readonly block: string;
  readonly automation: string | undefined;
  readonly limit: string;
  readonly tagLimit: string | undefined;
  /** `2026-11-20/<id>` of an event. */
  readonly event: string;
}

/** `api` is the address of an empty API. Throws with the answer when a request is refused. */
export async function seed(api: string): Promise<Seed> {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(api + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as { id: string; [key: string]: unknown };
  };
  const post = (path: string, body: unknown) => send('POST', path, body);
  const idOf = async (path: string, body: unknown) => (await post(path, body)).id;

  const pool = { name: 'seeded-pool', type: 'process', description: 'A pool of the seed', concurrency_limit: 5 };
  await post('/work_pools/', pool);
  await post('/work_pools/seeded-pool/queues/', { name: 'seeded-queue', priority: 2, concurrency_limit: 3 });
  await post('/work_pools/seeded-pool/workers/heartbeat', { name: 'seeded-worker', heartbeat_interval_seconds: 30 });

  const flow = await idOf('/flows/', { name: 'seeded-flow', tags: ['seeded'] });
  const deployment = await idOf('/deployments/', {
    name: 'seeded-deployment',
    flow_id: flow,
    work_pool_name: 'seeded-pool',
    work_queue_name: 'seeded-queue',
    description: 'Says **something**',
    version: '1',
    tags: ['seeded'],
    entrypoint: 'flow.py:seeded',
    concurrency_limit: 2,
    parameters: { x: 1 },
    parameter_openapi_schema: {
      type: 'object',
      title: 'Parameters',
      properties: {
        x: { type: 'integer', title: 'x', default: 1, position: 0 },
        when: { type: 'string', format: 'date-time', title: 'when', position: 1 },
      },
    },
    schedules: [{ active: true, schedule: { cron: '0 6 * * *', timezone: 'Europe/Berlin' } }],
  });
  const run = await idOf(`/deployments/${deployment}/create_flow_run`, { name: 'seeded-run', parameters: { x: 2 } });
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const scheduledRun = await idOf('/flow_runs/', {
    name: 'seeded-later',
    flow_id: flow,
    state: { type: 'SCHEDULED', state_details: { scheduled_time: inAnHour } },
  });
  const setState = (kind: string, id: string, type: string, more: object = {}) =>
    post(`/${kind}/${id}/set_state`, { state: { type, ...more }, force: true });
  await setState('flow_runs', run, 'RUNNING');
  const newTask = (key: string, inputs: object) =>
    idOf('/task_runs/', {
      name: `seeded-${key}`,
      flow_run_id: run,
      task_key: key,
      dynamic_key: '0',
      tags: ['seeded'],
      task_inputs: inputs,
      state: { type: 'PENDING' },
    });
  const taskRun = await newTask('first', { x: [{ input_type: 'parameter', name: 'x' }] });
  const second = await newTask('second', { y: [{ input_type: 'task_run', id: taskRun }] });
  for (const id of [taskRun, second]) {
    await setState('task_runs', id, 'RUNNING');
    await setState('task_runs', id, 'COMPLETED');
  }
  await post('/logs/', [
    {
      name: 'prefect.flow_runs',
      level: 20,
      message: 'seeded log',
      timestamp: new Date().toISOString(),
      flow_run_id: run,
    },
    {
      name: 'prefect.task_runs',
      level: 40,
      message: 'seeded error',
      timestamp: new Date().toISOString(),
      flow_run_id: run,
      task_run_id: taskRun,
    },
  ]);
  const artifact = await idOf('/artifacts/', {
    key: 'seeded-artifact',
    type: 'markdown',
    description: 'An artifact of the seed',
    data: '# Seeded heading',
    flow_run_id: run,
    task_run_id: taskRun,
  });
  await post('/artifacts/', { key: 'seeded-table', type: 'table', data: '[{"a": 1}]', flow_run_id: run });
  await setState('flow_runs', run, 'COMPLETED', { message: 'All states completed.' });
  const failed = await idOf('/flow_runs/', { name: 'seeded-failure', flow_id: flow, state: { type: 'RUNNING' } });
  await setState('flow_runs', failed, 'FAILED', { message: 'It broke' });

  await post('/variables/', { name: 'seeded_variable', value: { a: 1.5 }, tags: ['seeded'] });
  const type = await send('GET', '/block_types/slug/secret');
  const schemas = await post('/block_schemas/filter', { block_schemas: { block_type_id: { any_: [type.id] } } });
  const block = await idOf('/block_documents/', {
    name: 'seeded-block',
    data: { value: 'hush' },
    block_type_id: type.id,
    block_schema_id: (schemas as unknown as { id: string }[])[0]?.id,
  });
  const limit = await idOf('/v2/concurrency_limits/', { name: 'seeded-limit', limit: 3, slot_decay_per_second: 0.5 });
  const tagLimit = await idOf('/concurrency_limits/', { tag: 'seeded', concurrency_limit: 2 });
  const automation = await idOf('/automations/', {
    name: 'seeded-automation',
    description: 'An automation of the seed',
    enabled: true,
    trigger: {
      type: 'event',
      posture: 'Reactive',
      expect: ['prefect.flow-run.Failed'],
      match: { 'prefect.resource.id': 'prefect.flow-run.*' },
      for_each: ['prefect.resource.id'],
      threshold: 1,
      within: 0,
    },
    actions: [{ type: 'run-deployment', source: 'selected', deployment_id: deployment, parameters: null }],
  });
  const { events } = (await post('/events/filter', { filter: {}, limit: 1 })) as unknown as {
    events: { id: string; occurred: string }[];
  };
  const [first] = events;
  if (!first) throw new Error('The seed created no events.');
  const event = `${first.occurred.slice(0, 10)}/${first.id}`;
  return { flow, deployment, run, scheduledRun, taskRun, artifact, block, automation, limit, tagLimit, event };
}
