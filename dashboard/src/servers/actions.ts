/** Changes of MCP servers. Each throws Problem when the server refuses it. */
import { answered, platform } from '../api/client.ts';
import type { components } from '../api/platform.gen.ts';
import type { PolicyRule, Role, Server, ServerPath } from './queries.ts';

type Schemas = components['schemas'];
export type ExternalWrite = Schemas['ExternalConnectionWrite'];
export type ConnectionTestResult = Schemas['ConnectionTestResult'];

const one = '/organizations/{org}/servers/{server}';

export function createServer(org: string, body: Schemas['ServerCreate']): Promise<Server> {
  return answered(platform.POST('/organizations/{org}/servers', { params: { path: { org } }, body }));
}

/** Makes a server from a file. */
export function importServer(org: string, body: Schemas['ServerImport']): Promise<Server> {
  return answered(platform.POST('/organizations/{org}/server-imports', { params: { path: { org } }, body }));
}

export function changeServer(path: ServerPath, body: Schemas['ServerUpdate']): Promise<Server> {
  return answered(platform.PATCH(one, { params: { path }, body }));
}

export async function deleteServer(path: ServerPath): Promise<void> {
  await answered(platform.DELETE(one, { params: { path } }));
}

/** `server` is the stored server whose connection is changed; null for a new one. */
export function testConnection(
  org: string,
  external: Schemas['ExternalConnectionUpdate'],
  server: string | null,
): Promise<ConnectionTestResult> {
  return answered(
    platform.POST('/organizations/{org}/server-connection-test', {
      params: { path: { org } },
      body: { external, server },
    }),
  );
}

export async function disconnectAccount(path: ServerPath): Promise<void> {
  await answered(platform.DELETE(`${one}/account`, { params: { path } }));
}

export async function askServer(path: ServerPath): Promise<void> {
  await answered(platform.POST(`${one}/capabilities/refresh`, { params: { path } }));
}

export async function setPolicy(path: ServerPath, rules: readonly PolicyRule[]): Promise<void> {
  await answered(platform.PUT(`${one}/policy`, { params: { path }, body: { rules: [...rules] } }));
}

export function setApprovals(path: ServerPath, body: Schemas['ToolApprovalsPut']): Promise<Schemas['ToolApprovals']> {
  return answered(platform.PUT(`${one}/tool-approvals`, { params: { path }, body }));
}

export function setLimits(path: ServerPath, limits: Schemas['LimitsPut']): Promise<Schemas['Limits']> {
  return answered(platform.PUT(`${one}/limits`, { params: { path }, body: limits }));
}

export async function setGrant(path: ServerPath, actorId: string, role: Role): Promise<void> {
  await answered(platform.PUT(`${one}/grants/{actorId}`, { params: { path: { ...path, actorId } }, body: { role } }));
}

/** Disconnects an account, which the person must connect again. */
export async function endAccount(path: ServerPath, userId: string): Promise<void> {
  await answered(platform.DELETE(`${one}/accounts/{userId}`, { params: { path: { ...path, userId } } }));
}

export async function removeGrant(path: ServerPath, actorId: string): Promise<void> {
  await answered(platform.DELETE(`${one}/grants/{actorId}`, { params: { path: { ...path, actorId } } }));
}
