/** Loads the sample in one transaction: all of it is there, or nothing. */

import { readAgainFrame } from '../../../changes/live-frame.ts';
import { type Context, within } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { Conflict } from '../../../errors.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import type { Static, TSchema } from '../../../schema/kinds.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { createAutomation } from '../../automations/operations.ts';
import { AutomationCreate } from '../../automations/schema.ts';
import { createDeployment } from '../../deployments/operations.ts';
import { DeploymentCreate } from '../../deployments/schema.ts';
import { createFlow } from '../../flows/operations.ts';
import { indexLines, keepsWords } from '../../logs/search/blocks.ts';
import { flows } from '../../lookups/flows.ts';
import { workPools } from '../../lookups/work-pools.ts';
import { createWorkPool } from '../../work/pools/operations.ts';
import { WorkPoolCreate } from '../../work/request-schema.ts';
import {
  type SampleFlow,
  sampleAutomation,
  sampleDeployments,
  sampleFlows,
  samplePool,
  sampleRuns,
} from './content.ts';
import { markSample, type SampleMark } from './mark.ts';
import { rowsOfSample, type SamplePlace } from './rows.ts';

/** Names that the workspace may have taken; each gets a number at its end. */
const ATTEMPTS = 20;

const decodePool = decoderOf(WorkPoolCreate);
const decodeDeployment = decoderOf(DeploymentCreate);
const decodeAutomation = decoderOf(AutomationCreate);

/** Throws Conflict if the workspace has a sample. */
export async function loadSample(context: Context): Promise<SampleMark> {
  return context.transaction(async (tx) => {
    // An automation locks the triggers of its workspace, which comes before all other locks.
    const inTx = within(context, tx);
    const automation = await createAutomation(inTx, automationOfSample());
    const pool = await createWorkPool(
      inTx,
      poolOfSample(await freeName(samplePool, (name) => workPools.first(tx, { name }))),
    );
    const ids = await createFlows(inTx, tx);
    const places = placesOf(ids);
    const deployments: string[] = [];
    for (const { flow, name, cron, entrypoint, parameters } of sampleDeployments) {
      const { deployment } = await createDeployment(
        inTx,
        decodeDeployment({
          ...{ flow_id: ids[flow], name, entrypoint, parameters, paused: true, work_pool_name: pool.name },
          schedules: [{ schedule: { cron, timezone: 'UTC' }, active: true }],
          description: 'Part of the sample.',
          path: '/app/shop',
        }),
      );
      deployments.push(deployment.id);
      const work_queue_id = pool.default_queue_id;
      places[flow] = {
        flow_id: ids[flow],
        deployment_id: deployment.id,
        work_queue_id,
        parameters: jsonTextOf(parameters),
      };
    }
    const rows = rowsOfSample(sampleRuns, places, context.now);
    await tx.insertAll('flow_run', rows.flow_run);
    await tx.insertAll('flow_run_state', rows.flow_run_state);
    await tx.insertAll('task_run', rows.task_run);
    await tx.insertAll('task_run_state', rows.task_run_state);
    await tx.insertAll('log', rows.log);
    if (keepsWords(context.server)) await indexLines(tx, rows.log);
    const mark: SampleMark = {
      loaded: context.now,
      flows: Object.values(ids),
      deployments,
      flow_runs: rows.flow_run.map(({ id }) => id),
      work_pool: pool.id,
      work_queue: pool.default_queue_id ?? '',
      automation: automation.id,
    };
    if (!(await markSample(tx, mark)))
      throw new Conflict('This workspace has a sample. Remove it before you load one.');
    tx.afterCommit(() => context.server.hub.tell('changes', context.workspace, readAgainFrame));
    return mark;
  });
}

async function createFlows(context: Context, tx: Tx): Promise<Record<SampleFlow, string>> {
  const ids: Partial<Record<SampleFlow, string>> = {};
  for (const [key, wanted] of Object.entries(sampleFlows)) {
    const name = await freeName(wanted, (one) => flows.first(tx, { name: one }));
    const { flow } = await createFlow(context, { name, tags: ['sample'] });
    ids[key as SampleFlow] = flow.id;
  }
  return ids as Record<SampleFlow, string>;
}

function placesOf(ids: Readonly<Record<SampleFlow, string>>): Record<SampleFlow, SamplePlace> {
  const place = (flow: SampleFlow): SamplePlace => ({
    ...{ flow_id: ids[flow], deployment_id: null, work_queue_id: null },
    parameters: jsonTextOf({}),
  });
  return { orders: place('orders'), report: place('report'), currency: place('currency') };
}

/** An object of the workspace may have the name, and belongs to its owner. */
async function freeName(wanted: string, find: (name: string) => Promise<object | undefined>): Promise<string> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const name = attempt === 1 ? wanted : `${wanted}-${attempt}`;
    if (!(await find(name))) return name;
  }
  throw new Conflict(`The names from "${wanted}" to "${wanted}-${ATTEMPTS}" are taken.`);
}

function poolOfSample(name: string): WorkPoolCreate {
  const description = 'Part of the sample. It is paused, so that no worker takes the runs of the sample.';
  return decodePool({ name, type: 'process', is_paused: true, description });
}

function automationOfSample(): AutomationCreate {
  return decodeAutomation({
    name: sampleAutomation,
    description: 'Part of the sample. It is off, and does nothing.',
    enabled: false,
    trigger: { type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Failed'], threshold: 1, within: 0 },
    actions: [{ type: 'do-nothing' }],
  });
}

/** The sample passes the same checks as a request. */
function decoderOf<T extends TSchema>(shape: T): (given: object) => Static<T> {
  const decode = compileDecoder(shape, 'body');
  return (given) => {
    const decoded = decode(given);
    if (!decoded.ok) throw new Error(`The sample is not valid: ${JSON.stringify(decoded.issues)}`);
    return decoded.value as Static<T>;
  };
}
