/** The facts about an organization's MCP servers that a caller may discover. */
import { described, Nullable, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { RoleField } from '../fields.ts';
import { List, namedPageQuery } from '../page.ts';
import { AccessRequest, AccessRequestState } from '../servers/access-requests/schema.ts';
import { ServerClient } from '../servers/server/client-schema.ts';
import { AuthenticationMode, ServerKind } from '../servers/server/schema.ts';

const entry = {
  id: Uuid(),
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  kind: ServerKind,
  owners: described(Type.Array(Type.String()), 'Names of the actors with the granted role `admin`.'),
  role: described(Nullable(RoleField), "The caller's role. Null if the caller has none."),
  servingUrl: Type.String(),
};

const CatalogEntry = Shape(
  'CatalogEntry',
  {
    ...entry,
    requestState: described(
      Nullable(AccessRequestState),
      "State of the caller's last request for access. Null: never asked.",
    ),
  },
  'ignore',
);
export type CatalogEntry = Static<typeof CatalogEntry>;

export const Catalog = List('Catalog', CatalogEntry);

export const catalogQuery = Type.Object({
  ...namedPageQuery.properties,
  kind: Type.Optional(ServerKind),
});

const CatalogTool = Shape(
  'CatalogTool',
  { name: Type.String(), title: Nullable(Type.String()), description: Nullable(Type.String()) },
  'ignore',
);

export const CatalogServer = Shape(
  'CatalogServer',
  {
    ...entry,
    authentication: AuthenticationMode,
    signIn: described(
      Type.Boolean(),
      'Whether clients can sign in a person with the browser. If not, they need a key.',
    ),
    tools: described(Nullable(Type.Array(CatalogTool)), 'The tools that the caller may use. Null without a role.'),
    instructions: described(Nullable(Type.String()), "The server's instructions for agents. Null without a role."),
    clients: described(
      Type.Array(ServerClient),
      'Configuration of the usual clients for the server. Empty without a role.',
    ),
    request: described(Nullable(AccessRequest), "The caller's last request for access."),
  },
  'ignore',
);
export type CatalogServer = Static<typeof CatalogServer>;
