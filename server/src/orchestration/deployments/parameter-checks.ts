/** Fills in the parameters of deployments and their runs, and checks them against the deployment's schema. */
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { BadRequest, Conflict, Unprocessable } from '../../errors.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../values/json.ts';
import { HydrationError, hydrate } from '../parameters/hydration.ts';
import { parameterSchemaFault, validateParameters } from '../parameters/parameter-schema.ts';
import type { Deployment } from './queries.ts';
import { brokenSchema, type DeploymentFlowRunCreate, type DeploymentUpdate } from './schema.ts';

const noSchema =
  'Error updating deployment: Cannot update parameters because parameter schema enforcement is enabled and the deployment does not have a valid parameter schema.';

/**
 * Checks the parameters that a deployment has after a change. It also checks unchanged parameters, because the schema
 * may be new. Returns the given ones filled in; undefined when none are given. Throws BadRequest, Conflict, and
 * Unprocessable for a schema that cannot be applied.
 */
export async function checkUpdatedParameters(
  tx: Tx,
  deployment: Deployment,
  input: DeploymentUpdate,
): Promise<JsonText | undefined> {
  const given = input.parameters
    ? await hydrated(tx, input.parameters, 'Error hydrating deployment parameters: ')
    : undefined;
  if (!(input.enforce_parameter_schema ?? deployment.enforce_parameter_schema)) return given;
  const newSchema = input.parameter_openapi_schema;
  const schema = newSchema ?? deployment.parameter_openapi_schema;
  if (schema === null) throw new Conflict(noSchema);
  const schemaFault = newSchema && parameterSchemaFault(newSchema);
  if (schemaFault) throw new Unprocessable(brokenSchema(schemaFault));
  const refusal = validateParameters(schema, given ?? deployment.parameters, { ignoreRequired: true });
  if (refusal?.kind === 'schema') throw new Unprocessable(refusal.message);
  if (refusal) throw new Conflict(`Error updating deployment: ${refusal.message}`);
  return given;
}

/** The beginnings of refusals of a run's parameters. Source: the same routes as `Wording` in `create-runs.ts`. */
export interface ParameterWording {
  readonly hydration: string;
  readonly validation: string;
  readonly noSchema: string;
}

export const singleRunWording: ParameterWording = {
  hydration: 'Error hydrating flow run parameters: ',
  validation: 'Error creating flow run: ',
  noSchema,
};

export const bulkRunWording: ParameterWording = {
  hydration: '',
  validation: 'Parameter validation failed: ',
  noSchema: 'Parameter schema enforcement is enabled but deployment has no valid schema.',
};

/**
 * The parameters of a run: those of the deployment, overridden by its own, filled in and checked. Throws BadRequest,
 * Conflict, and Unprocessable for a schema that cannot be applied.
 */
export async function runParameters(
  tx: Tx,
  deployment: Deployment,
  input: DeploymentFlowRunCreate,
  wording: ParameterWording,
): Promise<JsonText> {
  const { parameters: own, enforce_parameter_schema } = input;
  const parameters = await hydrated(tx, overlaid(deployment.parameters, own), wording.hydration);
  if (!(enforce_parameter_schema ?? deployment.enforce_parameter_schema)) return parameters;
  if (deployment.parameter_openapi_schema === null) throw new Conflict(wording.noSchema);
  const refusal = validateParameters(deployment.parameter_openapi_schema, parameters);
  if (refusal?.kind === 'schema') throw new Unprocessable(refusal.message);
  if (refusal) throw new Conflict(wording.validation + refusal.message);
  return parameters;
}

/**
 * The parameters of the runs of a schedule: those of the deployment, overridden by the schedule's, filled in with the
 * values at the creation of the runs. A value that cannot be filled in stays unchanged, so that the run reports it when
 * it starts.
 */
export async function scheduledParameters(
  context: Context,
  tx: Tx,
  deployment: Deployment,
  schedule: { readonly id: string; readonly parameters: JsonText },
): Promise<JsonText> {
  const merged = overlaid(deployment.parameters, schedule.parameters);
  try {
    return await hydrate(tx, merged);
  } catch (error) {
    if (!(error instanceof HydrationError)) throw error;
    const about = { schedule: schedule.id, deployment: deployment.id, reason: error.message };
    context.server.logger.warn(about, 'parameters of a schedule cannot be filled in');
    return merged;
  }
}

function overlaid(parameters: JsonText, own: JsonText | null | undefined): JsonText {
  return own && own !== '{}' ? jsonTextOf({ ...parseObject(parameters), ...parseObject(own) }) : parameters;
}

async function hydrated(tx: Tx, parameters: JsonText, refusal: string): Promise<JsonText> {
  try {
    return await hydrate(tx, parameters);
  } catch (error) {
    if (error instanceof HydrationError) throw new BadRequest(refusal + error.message);
    throw error;
  }
}
