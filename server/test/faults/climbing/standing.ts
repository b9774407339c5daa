/**
 * The rights that the database holds, and a model of who may change them. The model follows docs/identity.md, "Who may do
 * what", and shares no code with the decisions of the server.
 */
import { sql } from 'kysely';
import { platformQuery } from '../../../src/database/statement.ts';
import type { TestServer } from '../../support/server.ts';

/** One row that gives somebody something. */
export interface Right {
  readonly kind: 'member' | 'account' | 'keys' | 'invitation' | 'workspace' | 'server' | 'policy' | 'grant';
  readonly organization: string;
  /** Id of the organization, workspace or server in which it holds. */
  readonly scope: string;
  /** Id of the actor, or address of the invited person; empty for what all members have. */
  readonly holder: string;
  /** A role, a state that gives none, the number of keys or the version of a policy. */
  readonly value: string;
  /** The workspace of a built-in server, with which its rights go; otherwise empty. */
  readonly within?: string;
}

export type Standing = readonly Right[];

const readRights = platformQuery<{ one: string; other: string }, Right>((_, { one, other }) => {
  const ours = sql`in (${one}, ${other})`;
  const text = (column: string) => sql`cast(${sql.ref(column)} as text)`;
  const [organization, none] = [text('organization_id'), sql`coalesce(default_role, 'none')`];
  const within = sql`coalesce(${text('workspace_id')}, '')`;
  return sql`
    select 'member' as kind, ${organization} as organization, ${organization} as scope, ${text('user_id')} as holder, role as value, '' as within
      from membership where organization_id ${ours}
    union all select 'account', ${organization}, ${organization}, ${text('id')}, case state when 'active' then role else state end, ''
      from service_account where organization_id ${ours}
    union all select 'keys', ${organization}, ${organization}, ${text('api_key.owner_id')}, cast(count(*) as text), ''
      from api_key inner join service_account on service_account.id = api_key.owner_id
      where organization_id ${ours} and revoked_at is null group by organization_id, api_key.owner_id
    union all select 'invitation', ${organization}, ${organization}, email, role, ''
      from invitation where organization_id ${ours} and state = 'pending'
    union all select 'workspace', ${organization}, ${text('id')}, '', ${none}, '' from workspace where organization_id ${ours}
    union all select 'server', ${organization}, ${text('id')}, '', ${none}, ${within} from mcp_server where organization_id ${ours}
    union all select 'policy', ${organization}, ${text('id')}, '', cast(policy_version as text), ${within}
      from mcp_server where organization_id ${ours}
    union all select 'grant', ${organization}, ${text('resource_id')}, ${text('actor_id')}, role, ''
      from resource_grant inner join workspace on workspace.id = resource_id where organization_id ${ours}
    union all select 'grant', ${organization}, ${text('resource_id')}, ${text('actor_id')}, role, ${within}
      from resource_grant inner join mcp_server on mcp_server.id = resource_id where organization_id ${ours}`;
});

/** All rights in two organizations. */
export function readStanding({ server }: TestServer, one: string, other: string): Promise<Standing> {
  return server.store.platform.reads().all(readRights, { one, other });
}

const LEVELS: Readonly<Record<string, number>> = { viewer: 1, editor: 2, admin: 3 };
const ADMINISTRATOR = 3;

/** From 0, no role, to 3, administrator. `scope` is an organization, a workspace or a server. */
function levelIn(standing: Standing, actor: string, { scope, organization }: Pick<Right, 'scope' | 'organization'>) {
  const isActor = (right: Right) => right.kind === 'member' || right.kind === 'account';
  const own = standing.find((right) => isActor(right) && right.scope === organization && right.holder === actor);
  if (own?.value === 'admin') return ADMINISTRATOR;
  if (own?.value !== 'member') return 0;
  const here = standing.filter((right) => right.scope === scope);
  const grant = here.find(({ kind, holder }) => kind === 'grant' && holder === actor);
  const fallback = here.find(({ kind }) => kind === 'workspace' || kind === 'server');
  return LEVELS[(grant ?? fallback)?.value ?? 'none'] ?? 0;
}

/**
 * What a request by `actor` changed and may not have changed: each right that differs must be in a scope that the actor
 * administered before, because only an administrator has all that a grant can give. The rights of a built-in server go with
 * its workspace. And each organization must keep an administrator.
 */
export function unexplained(before: Standing, after: Standing, actor: string): string[] {
  const [had, has] = [before, after].map(
    (standing) => new Map(standing.map((right) => [JSON.stringify(right), right])),
  );
  const changed = [
    ...[...(had ?? [])].filter(([text]) => !has?.has(text)),
    ...[...(has ?? [])].filter(([text]) => !had?.has(text)),
  ];
  const workspaces = new Set(after.filter(({ kind }) => kind === 'workspace').map(({ scope }) => scope));
  const isAdministrator = (right: Pick<Right, 'scope' | 'organization'>) =>
    levelIn(before, actor, right) >= ADMINISTRATOR;
  const wentWithIts = ({ within = '', organization }: Right) =>
    within !== '' && !workspaces.has(within) && isAdministrator({ scope: within, organization });
  const faults = changed
    .filter(([, right]) => !isAdministrator(right) && !wentWithIts(right))
    .map(([text]) => `${actor} changed ${text}`);
  const organizations = new Set(before.map(({ organization }) => organization));
  for (const { kind, organization, value } of after) {
    if (kind === 'member' && value === 'admin') organizations.delete(organization);
  }
  return [...faults, ...[...organizations].map((organization) => `${organization} has no administrator`)];
}
