import type { Stage } from '../way/run-stages.ts';

/** Records the use of the key, or of the connection of a client. */
export const keyUse: Stage = ({ access: { apiKeyId, connection } }, { keyUsage }) => {
  if (apiKeyId !== undefined) keyUsage.note(apiKeyId);
  if (connection) keyUsage.noteConnection(connection.id);
  return undefined;
};
