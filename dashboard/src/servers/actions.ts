/** Changes of MCP servers. Each throws Problem when the server refuses it. */
import { answered, platform } from '../api/client.ts';
import type { components } from '../api/platform.gen.ts';
import type { PolicyRule, Role, ServerPath } from './queries.ts';

type Schemas = components['schemas'];
export type ExternalWrite = Schemas['ExternalConnectionWrite'];
export type ConnectionTestResult = Schemas['ConnectionTestResult'];

const one = '/organizations/{org}/servers/{server}';

export const createServer = (org: string, body: Schemas['ServerCreate']) =>
  answered(platform.POST('/organizations/{org}/servers', { params: { path: { org } }, body }));

/** Makes a server from a file. */
export const importServer = (org: string, body: Schemas['ServerImport']) =>
  answered(platform.POST('/organizations/{org}/server-imports', { params: { path: { org } }, body }));

export const changeServer = (path: ServerPath, body: Schemas['ServerUpdate']) =>
  answered(platform.PATCH(one, { params: { path }, body }));

export const deleteServer = (path: ServerPath) => answered(platform.DELETE(one, { params: { path } }));

/** `server` is the stored server whose connection is changed; null for a new one. */
export const testConnection = (org: string, external: Schemas['ExternalConnectionUpdate'], server: string | null) =>
  answered(
    platform.POST('/organizations/{org}/server-connection-test', {
      params: { path: { org } },
      body: { external, server },
    }),
  );

export const disconnectAccount = (path: ServerPath) =>
  answered(platform.DELETE(`${one}/account`, { params: { path } }));

export const askServer = (path: ServerPath) =>
  answered(platform.POST(`${one}/capabilities/refresh`, { params: { path } }));

export const setPolicy = (path: ServerPath, rules: readonly PolicyRule[]) =>
  answered(platform.PUT(`${one}/policy`, { params: { path }, body: { rules: [...rules] } }));

export function setApprovals(path: ServerPath, body: Schemas['ToolApprovalsPut']): Promise<Schemas['ToolApprovals']> {
  return answered(platform.PUT(`${one}/tool-approvals`, { params: { path }, body }));
}

export function setLimits(path: ServerPath, limits: Schemas['LimitsPut']): Promise<Schemas['Limits']> {
  return answered(platform.PUT(`${one}/limits`, { params: { path }, body: limits }));
}

export const setGrant = (path: ServerPath, actorId: string, role: Role) =>
  answered(platform.PUT(`${one}/grants/{actorId}`, { params: { path: { ...path, actorId } }, body: { role } }));

/** Disconnects an account, which the person must connect again. */
export const endAccount = (path: ServerPath, userId: string) =>
  answered(platform.DELETE(`${one}/accounts/{userId}`, { params: { path: { ...path, userId } } }));

export const removeGrant = (path: ServerPath, actorId: string) =>
  answered(platform.DELETE(`${one}/grants/{actorId}`, { params: { path: { ...path, actorId } } }));
