/** Arguments that several tools share. */
import { described, OneOf, Type, Uuid } from '../../../schema/kinds.ts';
import type { Asking } from './tool.ts';
import { ToolRefusal } from './tool.ts';

const STATES = [
  'SCHEDULED',
  'PENDING',
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'FAILED',
  'CRASHED',
  'CANCELLING',
  'CANCELLED',
] as const;

export const states = described(
  Type.Optional(Type.Array(OneOf(STATES), { maxItems: STATES.length })),
  'Only these types of state. Failed runs: FAILED and CRASHED.',
);

export const runId = described(Uuid(), 'Id of a flow run. `list_flow_runs` and `search` find it.');

export const deployment = described(
  Type.String({ minLength: 1, maxLength: 1000 }),
  'Id of a deployment, or `flow name/deployment name`.',
);

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** The route that `deploymentIdOf` calls. */
export const DEPLOYMENT_BY_NAME = 'GET /deployments/name/{flow_name}/{deployment_name}';

/** Throws ToolRefusal for a text that is neither an id nor a pair of names, and NotFound. */
export async function deploymentIdOf(given: string, { ask }: Asking): Promise<string> {
  if (UUID.test(given)) return given;
  const at = given.lastIndexOf('/');
  if (at <= 0 || at === given.length - 1) {
    throw new ToolRefusal('deployment: give its id, or `flow name/deployment name`. `list_deployments` shows both.');
  }
  const path = { flow_name: given.slice(0, at), deployment_name: given.slice(at + 1) };
  return (await ask<{ id: string }>(DEPLOYMENT_BY_NAME, { path })).id;
}
