/** Starts a run of a deployment. Source: docs.prefect.io/v3/concepts/automations; `actions.test.ts` shows it. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { ValidationFailed } from '../../../errors.ts';
import { TemplateSyntaxError } from '../../../templates/syntax/template-error.ts';
import { isTemplate, Template } from '../../../templates/template.ts';
import { isJsonObject, type JsonText, jsonTextOf, keepOrder, keysInOrder, numberOf } from '../../../values/json.ts';
import { addSeconds } from '../../../values/time.ts';
import { createRun } from '../../deployments/create-runs.ts';
import { HydrationError, hydrate } from '../../parameters/hydration.ts';
import { checkParameterSize } from '../../parameters/parameter-size.ts';
import { noDetails } from '../../runs/rows/state.ts';
import { chosenId } from './chosen.ts';
import type { Invocation } from './invocation.ts';
import { type Outcome, target } from './outcome.ts';
import { renderingFor } from './template-context.ts';

/**
 * Creates the run with the automation as its creator. The idempotency key contains the id of the invocation, so a retry
 * creates no second run. Throws the same ApiErrors as the creation of a run.
 */
export async function runDeployment(context: Context, tx: Tx, invocation: Invocation): Promise<Outcome> {
  const id = chosenId(invocation, 'deployment');
  if (typeof id !== 'string') return { ...id, related: [] };
  const related = [target('deployment', id)];
  const { action, automation, automationId } = invocation;
  let parameters: JsonText | undefined;
  try {
    parameters = await parametersOf(context, tx, invocation);
    checkParameterSize(parameters, context.server.config.maxParameterBytes);
  } catch (error) {
    return { reason: `Unable to create flow run from deployment: ${parameterFault(error)}`, related };
  }
  const provenance = { ...context.client, automation: { id: automationId, name: automation?.name ?? '' } };
  const { run, isNew } = await createRun({ ...context, client: provenance }, id, {
    state: {
      type: 'SCHEDULED',
      state_details: { ...noDetails, scheduled_time: addSeconds(context.now, numberOf(action['schedule_after']) ?? 0) },
    },
    idempotency_key: `automation ${automationId}, action ${invocation.index}, invocation ${invocation.id}`,
    ...(parameters === undefined ? {} : { parameters }),
    ...(isJsonObject(action['job_variables']) ? { job_variables: jsonTextOf(action['job_variables']) } : {}),
  });
  const flowRun = {
    'prefect.resource.id': `prefect.flow-run.${run.id}`,
    'prefect.resource.role': 'flow-run',
    'prefect.resource.name': run.name,
  };
  return { related: [...related, flowRun], details: { status_code: isNew ? 201 : 200 } };
}

/** Rethrows an error that the parameters did not cause. */
function parameterFault(error: unknown): string {
  if (error instanceof HydrationError) return error.message;
  if (error instanceof ValidationFailed) return error.issues.map(({ msg }) => msg).join(' ');
  throw error;
}

async function parametersOf(context: Context, tx: Tx, invocation: Invocation): Promise<JsonText | undefined> {
  const given = invocation.action['parameters'];
  if (!isJsonObject(given)) return undefined;
  const upgraded = jsonTextOf(upgrade(given));
  return hydrate(tx, upgraded, await renderingFor(context, tx, invocation, templatesIn(given)));
}

/** Texts with tags become placeholders; a text that is a single expression keeps the type of its value. */
function upgrade(value: unknown): unknown {
  if (typeof value === 'string') return isTemplate(value) ? placeholder(value) : value;
  if (Array.isArray(value)) return value.map(upgrade);
  if (!isJsonObject(value) || Object.hasOwn(value, '__prefect_kind')) return value;
  const copy = Object.fromEntries(keysInOrder(value).map((key) => [key, upgrade(value[key])]));
  keepOrder(value, copy);
  return copy;
}

function placeholder(text: string): object {
  const expression = singleExpression(text.trim());
  return expression === undefined ? jinja(text) : { __prefect_kind: 'json', value: jinja(expression) };
}

function jinja(template: string): object {
  return { __prefect_kind: 'jinja', template };
}

/** Turns `{{ x }}` into a template that renders the value's JSON; undefined when the text contains more than that. */
function singleExpression(text: string): string | undefined {
  const inner = /^\{\{-?(.*?)-?\}\}$/s.exec(text)?.[1];
  if (inner === undefined) return undefined;
  const asJson = `{{ (${inner}) | tojson }}`;
  try {
    new Template(asJson);
    return asJson;
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return undefined;
    throw error;
  }
}

function templatesIn(value: unknown): string[] {
  if (typeof value === 'string') return isTemplate(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(templatesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(templatesIn) : [];
}
