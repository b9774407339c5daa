import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { found, ObjectNotFound, Unprocessable, ValidationFailed } from '../../errors.ts';
import { type Change, recordChange } from '../../events/record-change.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { compileEncoder } from '../../schema/encode.ts';
import { refine, Type } from '../../schema/kinds.ts';
import { newId } from '../../values/id.ts';
import { type JsonText, jsonTextOf, parseJson } from '../../values/json.ts';
import { findDeployment } from '../deployments/queries.ts';
import { requireFit, runJobVariableFault } from '../parameters/job-variables.ts';
import { loopFault } from './loop-check.ts';
import {
  type AutomationRow,
  automations,
  claimTriggers,
  forgetTriggers,
  listOwnedIds,
  relateToActions,
  relateToOwner,
} from './queries.ts';
import { Action, AnyTrigger, Automation, type AutomationCreate, type AutomationUpdate } from './schema.ts';
import type { Trigger } from './trigger-schema.ts';

/** Limit per automation, over its three lists. */
const MOST_ACTIONS = 50;
/**
 * Limit for the characters of the trigger times the number of actions: a firing stores the trigger with each of its
 * actions.
 */
const MOST_FIRED_CHARACTERS = 500_000;

const encodeTrigger = compileEncoder(AnyTrigger);
const encodeActions = compileEncoder(Type.Array(Action));
const decodeActions = compileDecoder(Type.Array(Action), 'body');
const encodeAutomation = compileEncoder(Automation);
const decodeAutomation = compileDecoder(refine(Automation, loopFault), 'body');

/**
 * Creates an automation. Throws NotFound and Unprocessable for a deployment that it cannot run, and when the automation
 * is too large.
 */
export function createAutomation(context: Context, input: AutomationCreate): Promise<AutomationRow> {
  checkSize(input);
  return context.transaction(async (tx) => {
    await tx.run(claimTriggers);
    await checkDeployments(
      tx,
      runsOf(input.actions).filter(({ job_variables }) => job_variables !== '{}'),
    );
    const stamps = { id: newId(), created: context.now, updated: context.now };
    const automation = await automations.insert(tx, { ...contentOf(input), ...stamps });
    const { owner_resource } = input;
    if (owner_resource) await relateToOwner(tx, automation.id, owner_resource);
    await relateToActions(tx, automation.id, deploymentsOf(input));
    await record(context, tx, 'created', automation);
    return automation;
  });
}

/** Inserts an automation of another server unchanged, without an event. False when there is one with this id. */
export async function insertAutomationAs(
  tx: Tx,
  content: Content,
  { id, created, updated }: Pick<AutomationRow, 'id' | 'created' | 'updated'>,
): Promise<boolean> {
  await tx.run(claimTriggers);
  if (await automations.first(tx, { id })) return false;
  await automations.insert(tx, { ...contentOf(content), id, created, updated });
  await relateToActions(tx, id, deploymentsOf(content));
  return true;
}

/** Replaces the given fields; triggers start over. Throws ObjectNotFound, NotFound, Unprocessable. */
export function updateAutomation(context: Context, id: string, input: AutomationUpdate): Promise<void> {
  return context.transaction(async (tx) => {
    await tx.run(claimTriggers);
    const stored = (await automations.first(tx, { id })) ?? missingAutomation();
    const content = { ...keptContent(stored), ...input };
    checkSize(content);
    await checkDeployments(tx, runsOf(content.actions));
    const change = { ...contentOf(content), updated: context.now };
    const automation = (await automations.change(tx, { id }, change)) ?? missingAutomation();
    await forgetTriggers(tx, id);
    await relateToActions(tx, id, deploymentsOf(content));
    await record(context, tx, 'updated', automation);
  });
}

/**
 * Switches an automation on or off (undefined: no change); its triggers start over. Throws ObjectNotFound, and
 * ValidationFailed when a rule forbids switching it on: some automations are only allowed while off.
 */
export function enableAutomation(context: Context, id: string, enabled: boolean | undefined): Promise<void> {
  return context.transaction((tx) => enableAutomationIn(context, tx, id, enabled));
}

/** Like `enableAutomation`, within a transaction that has not written anything yet. */
export async function enableAutomationIn(
  context: Context,
  tx: Tx,
  id: string,
  enabled: boolean | undefined,
): Promise<void> {
  await tx.run(claimTriggers);
  const stored = (await automations.first(tx, { id })) ?? missingAutomation();
  // As in the reference, a change without `enabled` is checked like one that switches on.
  if (enabled !== false) requireValid({ ...stored, enabled: true });
  const automation = (await automations.change(tx, { id }, { enabled, updated: context.now })) ?? missingAutomation();
  await forgetTriggers(tx, id);
  await record(context, tx, 'updated', automation);
}

/** Throws ObjectNotFound. */
export function deleteAutomation(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    await tx.run(claimTriggers);
    if (!(await removeAutomation(context, tx, id))) missingAutomation();
  });
}

/** Throws ValidationFailed. */
function requireValid(automation: AutomationRow): void {
  const decoded = decodeAutomation(parseJson(encodeAutomation(automation)));
  if (decoded.ok) return;
  // Issues give positions in the automation, not in the request. The URL is the reference's.
  throw new ValidationFailed(
    decoded.issues.map((issue) => ({
      ...issue,
      loc: issue.loc.slice(1),
      url: `https://errors.pydantic.dev/2.14/v/${issue.type}`,
    })),
  );
}

/** Deletes the automations that the resource owns; returns their ids. */
export function deleteOwnedAutomations(context: Context, resource: string): Promise<string[]> {
  return context.transaction(async (tx) => {
    await tx.run(claimTriggers);
    const deleted: string[] = [];
    for (const id of await listOwnedIds(tx, resource)) {
      if (await removeAutomation(context, tx, id)) deleted.push(id);
    }
    return deleted;
  });
}

async function removeAutomation(context: Context, tx: Tx, id: string): Promise<boolean> {
  const automation = await automations.remove(tx, { id });
  if (!automation) return false;
  await record(context, tx, 'deleted', automation);
  return true;
}

export function missingAutomation(): never {
  throw new ObjectNotFound('Automation not found');
}

type Content = Omit<AutomationCreate, 'owner_resource'>;

/** The stored values of the fields that an update may omit. */
function keptContent(automation: AutomationRow): Omit<Content, 'name' | 'trigger' | 'actions'> {
  return {
    description: automation.description,
    enabled: automation.enabled,
    tags: parseJson(automation.tags) as string[],
    actions_on_trigger: storedActions(automation.actions_on_trigger),
    actions_on_resolve: storedActions(automation.actions_on_resolve),
  };
}

function storedActions(text: JsonText): Action[] {
  const decoded = decodeActions(parseJson(text));
  if (!decoded.ok) throw new Error('An automation contains actions that cannot be read.');
  return decoded.value;
}

/** Limits how much one event makes this automation write. Throws Unprocessable. */
function checkSize({ trigger, actions, actions_on_trigger, actions_on_resolve }: Content): void {
  const count = actions.length + actions_on_trigger.length + actions_on_resolve.length;
  if (count > MOST_ACTIONS) {
    throw new Unprocessable(
      `actions: an automation may have at most ${MOST_ACTIONS} actions, and this one has ${count}.`,
    );
  }
  if (encodeTrigger(trigger).length * Math.max(1, count) > MOST_FIRED_CHARACTERS) {
    throw new Unprocessable(
      `trigger: may have at most ${MOST_FIRED_CHARACTERS} characters, divided by the number of actions.`,
    );
  }
}

function contentOf(input: Content) {
  return {
    name: input.name,
    description: input.description,
    enabled: input.enabled,
    tags: jsonTextOf(input.tags),
    trigger: encodeTrigger(withNewIds(input.trigger)) as JsonText,
    actions: encodeActions(input.actions) as JsonText,
    actions_on_trigger: encodeActions(input.actions_on_trigger) as JsonText,
    actions_on_resolve: encodeActions(input.actions_on_resolve) as JsonText,
  };
}

/** Stored counts belong to the id of a trigger, so two triggers never have the same id. */
function withNewIds(trigger: Trigger): Trigger {
  const id = newId();
  return trigger.type === 'event' ? { ...trigger, id } : { ...trigger, id, triggers: trigger.triggers.map(withNewIds) };
}

type RunDeployment = Extract<Action, { type: 'run-deployment' }>;

function runsOf(actions: readonly Action[]): RunDeployment[] {
  return actions.filter(
    (action) => action.type === 'run-deployment' && action.source === 'selected',
  ) as RunDeployment[];
}

/** Only the deployments in `actions`, as on the reference. */
function deploymentsOf({ actions }: Content): string[] {
  return runsOf(actions).map(({ deployment_id }) => `prefect.deployment.${deployment_id}`);
}

/**
 * Checks job variables against the pool of the deployment immediately, so that a mistake is found before the first
 * firing. As on the reference, callers pass only the runs of `actions`, and empty variables only when they replace an
 * automation.
 */
async function checkDeployments(tx: Tx, runs: readonly RunDeployment[]): Promise<void> {
  for (const { deployment_id, job_variables } of runs) {
    if (!deployment_id || !job_variables) continue;
    const deployment = found(await findDeployment(tx, deployment_id), 'Deployment not found.');
    requireFit(runJobVariableFault(deployment, job_variables), 'Error creating automation: ');
  }
}

function record(context: Context, tx: Tx, change: Change, automation: AutomationRow): Promise<void> {
  return recordChange(context, tx, 'automation', change, automation, encodeAutomation(automation) as JsonText);
}
