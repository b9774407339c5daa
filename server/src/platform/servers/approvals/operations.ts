/** Stores which tools of a server have been approved, and with which description. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { platformStatement } from '../../../database/statement.ts';
import { found, NamedConflict, ValidationFailed } from '../../../errors.ts';
import { type ApprovedTool, type ApprovedTools, definitionOf, hashOf } from '../../../mcp/manifest/approved-tools.ts';
import type { Manifest } from '../../../mcp/manifest/discovery.ts';
import { jsonTextOf } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { MISSING } from '../server/access.ts';
import { audit } from '../server/audit.ts';
import { lockServer, type ServerRow } from '../server/queries.ts';
import type { ToolApprovals, ToolApprovalsPut } from './schema.ts';

type ToolState = ToolApprovals['tools'][number]['state'];

const updateApprovals = platformStatement<Pick<ServerRow, 'id' | 'approved_tools'> & { now: Timestamp }, ServerRow>(
  (query, given) =>
    query
      .updateTable('mcp_server')
      .set((eb) => ({
        updated: given.now,
        approved_tools: eb.val(given.approved_tools),
        policy_version: eb('policy_version', '+', 1),
      }))
      .where('id', '=', given.id)
      .returningAll(),
);

export function approvalsOf(row: ServerRow): ToolApprovals {
  const approved = approvedIn(row);
  const offered = offeredBy(row);
  const names = [...new Set([...offered.keys(), ...approved.keys()])].sort();
  return {
    enabled: row.approved_tools !== null,
    manifestVersion: row.manifest_version,
    tools: names.map((name) => {
      const [before, now] = [approved.get(name), offered.get(name)];
      return {
        name,
        state: stateOf(before?.hash, now && hashOf(now)),
        approved: before ? jsonTextOf(before.definition) : null,
        offered: now ? jsonTextOf(now) : null,
      };
    }),
  };
}

function stateOf(approved: string | undefined, offered: string | undefined): ToolState {
  if (approved === undefined) return 'new';
  if (offered === undefined) return 'gone';
  return approved === offered ? 'approved' : 'changed';
}

/**
 * Takes effect at the next request. 409 `manifest_changed` when the tools are no longer those that the caller reviewed.
 */
export function putApprovals(
  context: OrganizationContext,
  owner: ServerRow,
  { enabled, manifestVersion, approve }: ToolApprovalsPut,
): Promise<ToolApprovals> {
  const { id } = owner;
  return context.transaction(async (tx) => {
    const row = found(await tx.first(lockServer, { id }), MISSING);
    if (row.manifest_version !== manifestVersion) {
      throw new NamedConflict(
        'manifest_changed',
        'The capabilities of the server were read again after this version. Load them again and review them.',
      );
    }
    const offered = offeredBy(row);
    const approved = approvedIn(row);
    for (const [index, tool] of approve.entries()) {
      const definition = offered.get(tool) ?? missing(index);
      approved.set(tool, { hash: hashOf(definition), definition });
    }
    const stored = enabled ? jsonTextOf(Object.fromEntries(approved)) : null;
    const updated = await tx.first(updateApprovals, { id, approved_tools: stored, now: context.now });
    await audit(context, tx, 'approve_tools', owner, { enabled, approve });
    tx.afterCommit(() => context.server.hub.tell('servers', id, 'policy'));
    return approvalsOf(updated ?? row);
  });
}

function missing(index: number): never {
  const msg = 'The server does not offer this tool.';
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'approve', index], msg }]);
}

function approvedIn({ approved_tools: stored }: Pick<ServerRow, 'approved_tools'>): Map<string, ApprovedTool> {
  return new Map(stored === null ? [] : Object.entries(JSON.parse(stored) as ApprovedTools));
}

function offeredBy({ manifest }: Pick<ServerRow, 'manifest'>): Map<string, Readonly<Record<string, unknown>>> {
  const tools = manifest === null ? [] : (JSON.parse(manifest) as Manifest).tools;
  return new Map(tools.map((tool) => [String(tool['name']), definitionOf(tool)]));
}
