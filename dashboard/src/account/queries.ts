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

export const rollOwnKey = (keyId: string, form: RollForm) =>
  answered(platform.POST('/me/api-keys/{keyId}/roll', { params: { path: { keyId } }, body: form }));

export const revokeOwnKey = (keyId: string) =>
  answered(platform.DELETE('/me/api-keys/{keyId}', { params: { path: { keyId } } }));

export const rename = (name: string) =>
  answered(platform.PATCH('/me/account', { body: { name: name === '' ? null : name } }));

export const changePassword = (currentPassword: string, newPassword: string) =>
  answered(platform.PUT('/me/password', { body: { currentPassword, newPassword } }));

export const endSession = (sessionId: string) =>
  answered(platform.DELETE('/me/sessions/{sessionId}', { params: { path: { sessionId } } }));

export const endOtherSessions = () => answered(platform.DELETE('/me/sessions'));

export const connectionsQuery = read.list('/me/connections', {});

export const endConnection = (id: string) =>
  answered(platform.DELETE('/me/connections/{id}', { params: { path: { id } } }));

export const serverAccountsQuery = read.list('/me/server-accounts', {});
