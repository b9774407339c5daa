/** An organization with actors of every reach, and another organization that none of them belongs to. */
import assert from 'node:assert/strict';
import { createOperatorContext } from '../../../src/platform/operator/operator.ts';
import { addOrganization } from '../../../src/platform/organizations/operations.ts';
import { callerWith, type PlatformCaller, person } from '../../support/platform.ts';
import type { TestServer } from '../../support/server.ts';

type Actor = PlatformCaller & { readonly id: string };

export interface Cast {
  readonly organization: string;
  readonly slug: string;
  /** The administrator who made everything; sends no random request. */
  readonly owner: Actor;
  readonly actors: readonly Actor[];
  readonly ids: Readonly<Record<'actors' | 'workspaces' | 'servers', readonly string[]>>;
}

/** Two administrators of the organization, administrators of one workspace and of one server, and a mere member. */
export async function gather(server: TestServer, slug: string): Promise<Cast> {
  const context = createOperatorContext(server.server.store, server.server.clock.now(), server.server);
  const { id: organization } = await addOrganization(context.change, { slug, name: slug });
  const org = `/organizations/${slug}`;
  const join = (name: string, role: 'admin' | 'member') => person(server, `${name}@${slug}.example.com`, role, slug);
  const owner = await join('owner', 'admin');
  const [second, ofWorkspace, ofServer, member] = await Promise.all([
    join('second', 'admin'),
    join('workspace', 'member'),
    join('server', 'member'),
    join('member', 'member'),
  ]);
  const made = async (path: string, body: object) => {
    const answer = await owner.post(`${org}${path}`, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const account = async (name: string, role: string): Promise<Actor> => {
    const { serviceAccount, secret } = await made('/service-accounts', { name, role });
    return { id: serviceAccount.id, ...callerWith(server, secret) };
  };
  const workspaces = [
    (await made('/workspaces', { name: 'One', handle: 'one' })).id,
    (await made('/workspaces', { name: 'Two', handle: 'two', defaultRole: 'viewer' })).id,
  ];
  const servers = [
    (await made('/servers', { slug: 'one', name: 'One', kind: 'hosted', hosted: {} })).id,
    (await made('/servers', { slug: 'two', name: 'Two', kind: 'hosted', hosted: {}, defaultRole: 'viewer' })).id,
  ];
  const robot = await account('robot', 'member');
  const grants: [path: string, Actor, role: string][] = [
    [`/workspaces/${workspaces[0]}`, ofWorkspace, 'admin'],
    [`/servers/${servers[0]}`, ofWorkspace, 'viewer'],
    [`/servers/${servers[0]}`, ofServer, 'admin'],
    [`/servers/${servers[1]}`, ofServer, 'editor'],
    [`/workspaces/${workspaces[0]}`, ofServer, 'editor'],
    [`/workspaces/${workspaces[1]}`, robot, 'admin'],
  ];
  for (const [path, actor, role] of grants) {
    const { status, text } = await owner.put(`${org}${path}/grants/${actor.id}`, { role });
    assert.equal(status, 204, text);
  }
  const actors = [second, ofWorkspace, ofServer, member, robot, await account('administrator', 'admin')];
  return {
    ...{ organization, slug, owner, actors },
    ids: { actors: [owner, ...actors].map(({ id }) => id), workspaces, servers },
  };
}
