import { MCP_SCOPES } from '../../identity/callers/oauth-scopes.ts';
import { DateTime, described, Enum, Nullable, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { List } from '../page.ts';

export const Connection = Shape(
  'Connection',
  {
    id: Uuid(),
    clientName: described(Type.String(), "The client's own description, which is not verified."),
    clientId: described(Type.String(), "The address of the client's metadata document, if it has one."),
    returnsTo: described(Type.String(), 'The address at which the client received the code of the sign-in.'),
    server: Shape(
      'ConnectedServer',
      { id: Uuid(), name: Type.String(), slug: Type.String(), organization: Type.String() },
      'ignore',
    ),
    scopes: Type.Array(Enum('McpScope', MCP_SCOPES)),
    createdAt: DateTime(),
    expiresAt: DateTime(),
    lastUsedAt: Nullable(DateTime()),
  },
  'ignore',
);
export type Connection = Static<typeof Connection>;

export const ConnectionList = List('ConnectionList', Connection);
