import type { Stage } from '../way/run-stages.ts';

/** Notes that the key, or the connection of a client, is in use. */
export const keyUse: Stage = ({ access: { apiKeyId, connection } }, { keyUsage }) => {
  if (apiKeyId !== undefined) keyUsage.note(apiKeyId);
  if (connection) keyUsage.noteConnection(connection.id);
  return undefined;
};
