/** What a caller may discover of the MCP servers of an organization. */
import { described, Maybe, Nullable, RecordOf, refine, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { AccessRequest, AccessRequestState } from '../access-requests/schema.ts';
import { DisplayName, RoleField, Slug } from '../fields.ts';
import { List, namedPageQuery } from '../page.ts';
import { ServerClient } from '../servers/clients.ts';
import { AuthenticationMode, ServerKind, Visibility } from '../servers/schema.ts';

const entry = {
  id: Uuid(),
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  kind: ServerKind,
  owners: described(Type.Array(Type.String()), 'Names of the actors with the granted role `admin`.'),
  role: described(Nullable(RoleField), "The caller's role. Null where the server is only seen."),
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
    signIn: described(Type.Boolean(), 'Whether clients can sign a person in with the browser; else they need a key.'),
    tools: described(Nullable(Type.Array(CatalogTool)), 'The tools that the caller may use. Null without a role.'),
    instructions: described(Nullable(Type.String()), 'What the server tells agents about itself. Null without a role.'),
    clients: described(Type.Array(ServerClient), 'How the usual clients reach the server. Empty without a role.'),
    request: described(Nullable(AccessRequest), "The caller's last request for access."),
  },
  'ignore',
);
export type CatalogServer = Static<typeof CatalogServer>;

const MAX_TEXT = 10_000;
const MAX_ITEMS = 100;

const isFew = (record: unknown) =>
  Object.keys(record as object).length > MAX_ITEMS ? `must have at most ${MAX_ITEMS} fields` : undefined;

/** A value that somebody enters, or that is given. Source: the schema of 2025-12-11, `Input`. */
const input = {
  description: Maybe(Type.String({ maxLength: MAX_TEXT })),
  isRequired: Maybe(Type.Boolean()),
  isSecret: Maybe(Type.Boolean()),
  value: Maybe(Type.String({ maxLength: MAX_TEXT })),
  default: Maybe(Type.String({ maxLength: MAX_TEXT })),
  choices: Maybe(Type.Array(Type.String({ maxLength: MAX_TEXT }), { maxItems: MAX_ITEMS })),
};
const Input = Shape('RegistryInput', input, 'ignore');
export type Input = Static<typeof Input>;
const Inputs = refine(RecordOf(Input), isFew);

/** One whose value may be put together from variables. Source: the same, `InputWithVariables`. */
const valuedInput = { ...input, variables: Maybe(Inputs) };
export type ValuedInput = Input & { readonly variables?: Readonly<Record<string, Input>> | null };

/** A header, or a variable of the environment. Source: the same, `KeyValueInput`. */
const KeyValue = Shape(
  'RegistryKeyValue',
  { name: Type.String({ minLength: 1, maxLength: 200 }), ...valuedInput },
  'ignore',
);

const Argument = Shape(
  'RegistryArgument',
  {
    type: Maybe(Type.String({ maxLength: 100 })),
    name: Maybe(Type.String({ maxLength: 200 })),
    valueHint: Maybe(Type.String({ maxLength: 200 })),
    format: Maybe(Type.String({ maxLength: 100 })),
    ...valuedInput,
  },
  'ignore',
);
export type Argument = Static<typeof Argument>;

const Remote = Shape(
  'RegistryRemote',
  {
    type: Type.String({ maxLength: 100 }),
    url: Type.String({ maxLength: 2000 }),
    headers: Maybe(Type.Array(KeyValue, { maxItems: MAX_ITEMS })),
    variables: Maybe(Inputs),
  },
  'ignore',
);
export type Remote = Static<typeof Remote>;

const Package = Shape(
  'RegistryPackage',
  {
    registryType: Maybe(Type.String({ maxLength: 100 })),
    registryBaseUrl: Maybe(Type.String({ maxLength: 2000 })),
    identifier: Maybe(Type.String({ maxLength: 2000 })),
    version: Maybe(Type.String({ maxLength: 255 })),
    transport: Maybe(Shape('RegistryTransport', { type: Type.String({ maxLength: 100 }) }, 'ignore')),
    runtimeArguments: Maybe(Type.Array(Argument, { maxItems: MAX_ITEMS })),
    packageArguments: Maybe(Type.Array(Argument, { maxItems: MAX_ITEMS })),
    environmentVariables: Maybe(Type.Array(KeyValue, { maxItems: MAX_ITEMS })),
  },
  'ignore',
);
export type Package = Static<typeof Package>;

/** A `server.json` of the MCP registry, as far as this gateway reads it. */
export const RegistryServer = Shape(
  'RegistryServer',
  {
    $schema: Maybe(Type.String({ maxLength: 2000 })),
    name: Type.String({ minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' }),
    title: Maybe(Type.String({ maxLength: 200 })),
    description: Maybe(Type.String({ maxLength: 2000 })),
    version: Maybe(Type.String({ maxLength: 255 })),
    websiteUrl: Maybe(Type.String({ maxLength: 2000 })),
    remotes: Maybe(Type.Array(Remote, { maxItems: MAX_ITEMS })),
    packages: Maybe(Type.Array(Package, { maxItems: MAX_ITEMS })),
  },
  'ignore',
);
export type RegistryServer = Static<typeof RegistryServer>;

const Values = refine(RecordOf(Type.String({ maxLength: MAX_TEXT })), isFew);

export const ServerImport = Shape('ServerImport', {
  serverJson: described(RegistryServer, 'The file. Fields that are not described here are ignored.'),
  slug: described(Maybe(Slug), 'Made from the last part of the name unless it is given.'),
  name: described(Maybe(DisplayName), 'The title of the file, or the last part of its name, unless it is given.'),
  visibility: Maybe(Visibility),
  defaultRole: described(Maybe(RoleField), 'Role of members of the organization without a grant. Null: none.'),
  variables: described(
    Maybe(Values),
    'Values of the variables in addresses, headers, the environment and arguments, by name.',
  ),
  headers: described(Maybe(Values), 'Values of the headers that the file leaves open, by name. Stored encrypted.'),
  environment: described(
    Maybe(Values),
    'Values of the environment of a package that the file leaves open, by name. Stored encrypted.',
  ),
  arguments: described(
    Maybe(Values),
    'Values of the arguments of a package that the file leaves open: by name, by what they stand for (`valueHint`), or by their place (`1`).',
  ),
});
export type ServerImport = Static<typeof ServerImport>;
