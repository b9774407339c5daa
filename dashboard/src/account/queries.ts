/** Queries and changes of the pages of one's own account. */
import { answered, platform } from '../api/client.ts';
import type { components } from '../api/platform.gen.ts';
import { platformRead as read } from '../api/read.ts';
import type { RollForm } from '../keys/roll-key-dialog.tsx';

export type OwnAccount = components['schemas']['OwnAccount'];
export type Connection = components['schemas']['Connection'];

export type OwnServerAccount = components['schemas']['OwnServerAccount'];

export const accountQuery = read.one('/me/account', {});

export const ownKeysQuery = read.list('/me/api-keys', {});

export function createOwnKey(descriptor: string, expiresAt: string | null) {
  return answered(platform.POST('/me/api-keys', { body: { descriptor, expiresAt } }));
}

export function rollOwnKey(keyId: string, form: RollForm) {
  return answered(platform.POST('/me/api-keys/{keyId}/roll', { params: { path: { keyId } }, body: form }));
}

export async function revokeOwnKey(keyId: string): Promise<void> {
  await answered(platform.DELETE('/me/api-keys/{keyId}', { params: { path: { keyId } } }));
}

export async function rename(name: string): Promise<void> {
  await answered(platform.PATCH('/me/account', { body: { name: name === '' ? null : name } }));
}

export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await answered(platform.PUT('/me/password', { body: { currentPassword, newPassword } }));
}

export async function endSession(sessionId: string): Promise<void> {
  await answered(platform.DELETE('/me/sessions/{sessionId}', { params: { path: { sessionId } } }));
}

export async function endOtherSessions(): Promise<void> {
  await answered(platform.DELETE('/me/sessions'));
}

export const connectionsQuery = read.list('/me/connections', {});

export async function endConnection(id: string): Promise<void> {
  await answered(platform.DELETE('/me/connections/{id}', { params: { path: { id } } }));
}

export const serverAccountsQuery = read.list('/me/server-accounts', {});
