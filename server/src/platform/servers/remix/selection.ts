/** Checks the capabilities that a caller selects for a remix. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { NamedConflict, NotFound, ValidationFailed } from '../../../errors.ts';
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import type { CapabilityView } from '../../../mcp/gateway/decide/policy.ts';
import type { CapabilityKind } from '../../../mcp/protocol/methods.ts';
import {
  CHOSEN_LISTS,
  type ChosenList,
  conflictsIn,
  type RemixSource,
  type Selection,
  type SelectionConflict,
} from '../../../mcp/remix/composition/selection.ts';
import { idNamedBy } from '../../../values/id.ts';
import { findSeenServer } from '../server/access.ts';
import { policyIn } from '../server/answers.ts';
import { findServer, type ServerRow } from '../server/queries.ts';
import { MAX_CHOICES, type RemixWrite } from '../server/remix-schema.ts';

type SourceWrite = RemixWrite['sources'][number];

const KINDS: Readonly<Record<ChosenList, CapabilityKind>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource',
};

const WORDS: Readonly<Record<ChosenList, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resource templates',
};

/** A checked selection, with the rows of its sources by id. */
interface CheckedSelection {
  readonly selection: Selection;
  readonly rows: ReadonlyMap<string, ServerRow>;
}

/**
 * The caller needs a role on each server that is new to the remix, and may select only capabilities that its policy
 * allows the caller. Selections in `before` may stay. Throws ValidationFailed.
 */
export async function checkedSelection(
  context: OrganizationContext,
  { sources }: RemixWrite,
  before: Selection = { sources: [], nextKey: 1 },
): Promise<CheckedSelection> {
  const rows = new Map<string, ServerRow>();
  const checked: RemixSource[] = [];
  let { nextKey } = before;
  let choices = 0;
  for (const [index, given] of sources.entries()) {
    const { row, view } = await sourceFor(context, given.server, index);
    if (rows.has(row.id)) refuse([index, 'server'], 'This server is in the remix twice. Merge its choices.');
    rows.set(row.id, row);
    const known = before.sources.find(({ serverId }) => serverId === row.id);
    checkChoices(given, index, view, known);
    choices += CHOSEN_LISTS.reduce((sum, list) => sum + given[list].length, 0);
    checked.push({ key: known?.key ?? nextKey++, serverId: row.id, ...chosenOf(given) });
  }
  if (choices > MAX_CHOICES) refuse([], `A remix may have at most ${MAX_CHOICES} capabilities.`);
  return { selection: { sources: checked, nextKey }, rows };
}

/**
 * Like `checkedSelection`, but refuses conflicts: throws NamedConflict (409 `capability_conflict`) with a text that
 * names both servers.
 */
export async function storableSelection(
  context: OrganizationContext,
  given: RemixWrite,
  before?: Selection,
): Promise<Selection> {
  const checked = await checkedSelection(context, given, before);
  const conflicts = conflictsIn(checked.selection);
  const [first] = conflicts;
  if (first) throw new NamedConflict('capability_conflict', conflictText(first, checked.rows), { conflicts });
  return checked.selection;
}

export function conflictText({ list, name, servers }: SelectionConflict, rows: CheckedSelection['rows']): string {
  const [left, right] = servers.map((id) => rows.get(id)?.name ?? id);
  return left === right
    ? `Two ${WORDS[list]} of "${left}" have the name "${name}". Rename one of them.`
    : `The ${WORDS[list]} of "${left}" and "${right}" both have the name "${name}". Rename or leave out one of them.`;
}

/** The view is undefined if the caller has no role. */
async function sourceFor(
  context: OrganizationContext,
  idOrSlug: string,
  index: number,
): Promise<{ row: ServerRow; view: CapabilityView | undefined }> {
  const { organization, caller, db } = context;
  const place = { organization_id: organization.id, id: idNamedBy(idOrSlug), slug: idOrSlug };
  const row = await db.first(findServer, place);
  if (!row) refuse([index, 'server'], 'This server does not exist. Remove it.');
  if (row.kind === 'remix') refuse([index, 'server'], 'A remix cannot be part of another remix.');
  if (row.kind === 'builtin') {
    refuse([index, 'server'], 'A built-in server acts with the role of its caller, so it cannot be part of a remix.');
  }
  if (row.authentication === 'none') {
    refuse([index, 'server'], 'This server authenticates its callers itself, so it cannot be part of a remix.');
  }
  const role = await roleOn(context, row.id);
  return { row, view: role === null ? undefined : policyIn(row).viewOf(caller.actor.id, role) };
}

async function roleOn(context: OrganizationContext, id: string) {
  try {
    return (await findSeenServer(context, id)).role;
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

function checkChoices(
  given: SourceWrite,
  index: number,
  view: CapabilityView | undefined,
  known: RemixSource | undefined,
): void {
  const work = new WorkAllowance();
  for (const list of CHOSEN_LISTS) {
    for (const [position, { name, as }] of given[list].entries()) {
      if (list === 'resourceTemplates' && as !== null && as !== name) {
        refuse([index, list, position, 'as'], 'A resource template cannot be renamed.');
      }
      if (known?.[list].some((choice) => choice.name === name)) continue;
      if (!view) refuse([index, 'server'], 'You need a role on this server to choose from it.');
      if (!view.decide(KINDS[list], name, work).allowed) {
        refuse([index, list, position, 'name'], 'The policy of the server does not allow you to use this.');
      }
    }
  }
}

function chosenOf(given: SourceWrite): Pick<RemixSource, ChosenList> {
  const chosen = (list: ChosenList) =>
    given[list].map(({ name, as, title, description }) => ({ name, as: as ?? name, title, description }));
  return {
    tools: chosen('tools'),
    prompts: chosen('prompts'),
    resources: chosen('resources'),
    resourceTemplates: chosen('resourceTemplates'),
  };
}

function refuse(place: readonly (string | number)[], msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'remix', 'sources', ...place], msg }]);
}
