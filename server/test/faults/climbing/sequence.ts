/** Random changes by the actors of a cast, each checked against the model of who may change what. */
import { platformRoutes } from '../../../src/app.ts';
import { newId } from '../../../src/values/id.ts';
import { callerWith, type PlatformCaller } from '../../support/platform.ts';
import type { TestServer } from '../../support/server.ts';
import type { Cast } from './cast.ts';
import { readStanding, type Standing, unexplained } from './standing.ts';

/** Would end the sequence; other tests refuse it to members. */
const ENDS = 'deleteOrganization';
const changes = platformRoutes.filter(
  ({ method, path, operationId }) =>
    method !== 'GET' && operationId !== ENDS && /^\/(organizations|users)\/\{/.test(path),
);
type Change = (typeof changes)[number];
const raising = changes.filter(({ path }) =>
  /(grants\/\{actorId\}|members.*|service-accounts.*|invitations.*|workspaces|\{id\}|\{server\}|policy)$/.test(path),
);

/** Fields that no body has; a server that copies a body into a row would take them over. */
const PRIVILEGED = {
  organizationRole: 'admin',
  isAdmin: true,
  permissions: ['*'],
  organization_id: '00000000-0000-4000-8000-000000000000',
  owner_id: '00000000-0000-4000-8000-000000000000',
  created_by: 'operator',
};

export interface Sequence {
  readonly requests: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** The first fault with the request that showed it; undefined when there is none. */
  readonly fault: string | undefined;
}

export interface SequenceOptions {
  readonly length: number;
  random(): number;
  /**
   * A planted hole: the operations whose requests the server takes for the owner's, as if it had forgotten to ask who may
   * send them.
   */
  readonly hole?: string;
}

/** Sends `length` changes one after another, and stops at the first fault. */
export async function runSequence(
  server: TestServer,
  cast: Cast,
  rival: Cast,
  options: SequenceOptions,
): Promise<Sequence> {
  const { random, length, hole } = options;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const actors = [...cast.actors, pick(rival.actors)];
  const statuses = new Map<number, number>();
  let standing = await readStanding(server, cast.organization, rival.organization);
  for (let requests = 1; requests <= length; requests++) {
    const change = pick(random() < 0.8 ? raising : changes);
    const actor = pick(actors);
    const address = addressOf(change, { cast, rival, standing, pick, random });
    const { body, hasPrivileged } = bodyOf(change, pick, random);
    const caller = hole === change.operationId ? callerWith(server, cast.owner.key) : actor;
    const answer = await send(caller, change.method, address, body);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const after = await readStanding(server, cast.organization, rival.organization);
    const faults = unexplained(standing, after, actor.id);
    if (answer.status >= 500) faults.push(`status ${answer.status}`);
    if (hasPrivileged && answer.status < 300) faults.push('fields that the body does not have were accepted');
    if (faults.length > 0) {
      const what = `${change.method} ${address} ${JSON.stringify(body)}: ${answer.status}`;
      return { requests, statuses, fault: `request ${requests}, ${what}\n${faults.join('\n')}` };
    }
    standing = after;
    // The caller of a request that made a key has the key.
    if (answer.status === 201 && answer.body.secret) {
      const id = answer.body.serviceAccount?.id ?? holderIn(address);
      actors.push({ id, ...callerWith(server, answer.body.secret) });
    }
  }
  return { requests: length, statuses, fault: undefined };
}

/** The service account that an address of its keys names. */
function holderIn(address: string): string {
  return /service-accounts\/([^/]+)/.exec(address)?.[1] ?? '';
}

interface Pool {
  readonly cast: Cast;
  readonly rival: Cast;
  readonly standing: Standing;
  pick<T>(from: readonly T[]): T;
  random(): number;
}

/** Mostly ids of the kind that the path names, in their own organization. */
function addressOf({ path }: Change, { cast, rival, standing, pick, random }: Pool): string {
  const { slug, organization, ids } = random() < 0.85 ? cast : rival;
  const own = standing.filter((right) => right.organization === organization);
  const accounts = own.filter(({ kind }) => kind === 'account').map(({ holder }) => holder);
  const pools: Readonly<Record<string, readonly string[]>> = {
    workspaces: ids.workspaces,
    servers: ids.servers,
    'service-accounts': accounts,
    grants: [...ids.actors, ...accounts],
    members: ids.actors,
    users: ids.actors,
  };
  const any = Object.values(pools).flat();
  return path.replace('{org}', pick([slug, organization])).replaceAll(/([\w-]+)\/\{\w+\}/g, (_, folder: string) => {
    const pool = pools[folder] ?? any;
    return `${folder}/${pick(pool.length > 0 && random() < 0.9 ? pool : any)}`;
  });
}

type Pick = <T>(from: readonly T[]) => T;

/** What each change takes, with values that give and that take away. */
const bodies: Readonly<Record<string, (pick: Pick) => object>> = {
  updateMember: (pick) => ({ role: pick(['admin', 'member']) }),
  createServiceAccount: (pick) => ({ name: newId(), role: pick(['admin', 'member']) }),
  updateServiceAccount: (pick) => ({ role: pick(['admin', 'member']) }),
  createServiceAccountApiKey: () => ({ descriptor: 'one more' }),
  createInvitation: (pick) => ({ email: `${newId()}@example.com`, role: pick(['admin', 'member']) }),
  createWorkspace: (pick) => ({ name: 'New', handle: handle(), defaultRole: pick(['admin', 'viewer', null]) }),
  updateWorkspace: (pick) => pick([{ defaultRole: pick(['admin', 'editor', null]) }, { name: 'Renamed' }]),
  createServer: (pick) => ({
    slug: handle(),
    name: 'New',
    kind: 'hosted',
    hosted: {},
    defaultRole: pick(['admin', null]),
  }),
  updateServer: (pick) => pick([{ defaultRole: pick(['admin', 'editor', null]) }, { name: 'Renamed' }]),
  setServerPolicy: () => ({ rules: [{ role: 'viewer', capability: 'tool', pattern: '*', effect: 'allow' }] }),
  setWorkspaceGrant: (pick) => ({ role: pick(['admin', 'editor', 'viewer']) }),
  setServerGrant: (pick) => ({ role: pick(['admin', 'editor', 'viewer']) }),
};

const handle = () => `h-${newId().slice(-12)}`;

function bodyOf({ operationId, body }: Change, pick: Pick, random: () => number) {
  if (!body) return { body: undefined, hasPrivileged: false };
  const given = bodies[operationId]?.(pick) ?? { name: 'Renamed', role: 'admin', defaultRole: 'admin' };
  const hasPrivileged = random() < 0.3;
  if (!hasPrivileged) return { body: given, hasPrivileged };
  const name = pick(Object.keys(PRIVILEGED) as (keyof typeof PRIVILEGED)[]);
  return { body: { ...given, [name]: PRIVILEGED[name] }, hasPrivileged };
}

function send(actor: PlatformCaller, method: string, path: string, body: object | undefined) {
  if (method === 'DELETE') return actor.delete(path);
  if (method === 'PUT') return actor.put(path, body);
  if (method === 'PATCH') return actor.patch(path, body);
  return actor.post(path, body);
}

/** The changes that can raise a right, for which a hole can be planted. */
export const HOLES = Object.keys(bodies);
