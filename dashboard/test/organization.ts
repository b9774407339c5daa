/** A server with people and MCP servers, whose names are as long as people's names are. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FilledServers, fillServers, organization, password } from './fill/servers.ts';
import { HOSTING, startServer } from './running-server.ts';

const longName = 'Bartholomew Featherstonehaugh-Cholmondeley';
export const longEmail = 'bartholomew.featherstonehaugh@department.example.com';
const invited = 'wolfeschlegelsteinhausenbergerdorff@department.example.com';

/** The pages of its people and servers. */
export const organizationPages = [
  '/account',
  '/account?tab=keys',
  '/account?tab=sessions',
  '/people',
  '/people?tab=invitations',
  '/people?tab=service-accounts',
  '/workspaces',
  '/catalog',
  '/catalog/documents',
  '/servers',
  '/servers/new?kind=external',
  '/servers/new?kind=remix',
  '/servers/documents',
  '/servers/documents?tab=capabilities',
  '/servers/documents?tab=access',
  '/servers/documents?tab=policy',
  '/servers/documents?tab=try',
  '/servers/documents?tab=settings',
  '/servers/customers?tab=builds',
  '/requests',
  '/audit',
  '/settings',
];

export interface Organization {
  readonly url: string;
  readonly filled: FilledServers;
  readonly stop: () => Promise<void>;
}

export async function startOrganization(): Promise<Organization> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-browser-'));
  const server = await startServer(home, { SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true', SIGNALBOX_HOSTING: HOSTING });
  const filled = await fillServers(server);
  const { ask } = filled;
  const invite = (email: string) => ask('POST', `${organization}/invitations`, { email, role: 'member' });
  const { token } = (await invite(longEmail)).body as { token: string };
  await ask('POST', `/invitations/${token}/accept`, { password, name: longName });
  await invite(invited);
  await ask('POST', `${organization}/service-accounts`, { name: 'continuous-integration-of-the-data-platform' });
  const name = 'Customer relations and billing of the whole company';
  await ask('POST', `${organization}/servers`, { slug: 'customers', name, kind: 'hosted', defaultRole: 'viewer' });
  return {
    url: server.url,
    filled,
    stop: async () => {
      await filled.upstream.stop();
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
