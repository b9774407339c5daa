/** Imports of MCP servers from files that projects publish and people have. */
import {
  described,
  Enum,
  Json,
  Maybe,
  Nullable,
  RecordOf,
  refine,
  Shape,
  type Static,
  Type,
} from '../../../schema/kinds.ts';
import { DisplayName, RoleField, Slug } from '../../fields.ts';
import { Server, ServerKind, Visibility } from '../server/schema.ts';
import { isFew, MAX_TEXT } from './registry-file.ts';

const Text = Type.String({ maxLength: MAX_TEXT });
const Values = refine(RecordOf(Text), isFew);
const ListedValues = refine(RecordOf(Type.Union([Text, Type.Array(Text, { maxItems: 100 })])), isFew);

const File = described(
  Json(),
  'A `server.json` of any schema, the answer of a registry, or the settings of an MCP client (`mcp.json`, `claude_desktop_config.json`): as JSON, or as text, which may have comments.',
);

export const ServerImport = Shape('ServerImport', {
  serverJson: File,
  from: described(
    Maybe(Type.String({ maxLength: 1000 })),
    'The server of the file to import, as the preview names it: `remotes.0`, `mcpServers.github`. Null: the first remote that the gateway supports, or else the first package that can be hosted. Required for a file with several servers.',
  ),
  slug: described(Maybe(Slug), 'Default: a free slug made from the name.'),
  name: described(Maybe(DisplayName), 'Default: the title in the file, or the last part of its name.'),
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
    Maybe(ListedValues),
    'Values of the arguments of a package that the file leaves open: by name, by `valueHint`, or by position (`1`). A repeatable argument accepts a list.',
  ),
});
export type ServerImport = Static<typeof ServerImport>;
export type ImportValues = Pick<ServerImport, 'variables' | 'headers' | 'environment' | 'arguments'>;

const leftOut = described(
  Type.Array(Type.String()),
  'Paths of the members of the file that have no effect on the server.',
);

export const ImportedServer = Shape('ImportedServer', { ...Server.properties, leftOut }, 'ignore');

export const ServerImportPreviewRequest = Shape('ServerImportPreviewRequest', { serverJson: File });

const ImportQuestion = Shape(
  'ImportQuestion',
  {
    field: Enum('ImportQuestionField', ['variables', 'headers', 'environment', 'arguments']),
    name: Type.String(),
    description: Nullable(Type.String()),
    placeholder: Nullable(Type.String()),
    isRequired: Type.Boolean(),
    isSecret: Type.Boolean(),
    isRepeated: Type.Boolean(),
    default: described(Nullable(Type.String()), 'Null for a secret.'),
    choices: Type.Array(Type.String()),
  },
  'ignore',
);
export type ImportQuestion = Static<typeof ImportQuestion>;

const ImportOffer = Shape(
  'ImportOffer',
  {
    from: described(Type.String(), 'Path of the server in the file; the `from` of an import.'),
    isFirstChoice: described(Type.Boolean(), 'True for the server that an import without `from` uses.'),
    name: Type.String(),
    slug: described(Type.String(), 'A slug that is free now.'),
    description: Type.String(),
    kind: ServerKind,
    source: described(Type.String(), 'The address, or the registry, package and version.'),
    questions: described(Type.Array(ImportQuestion), 'Values that the file leaves open.'),
    leftOut,
    problem: described(
      Nullable(Shape('ImportProblem', { code: Type.String(), field: Type.String(), message: Type.String() }, 'ignore')),
      'Why the server cannot be imported. Null: it can.',
    ),
  },
  'ignore',
);
export type ImportOffer = Static<typeof ImportOffer>;

export const ServerImportPreview = Shape(
  'ServerImportPreview',
  { servers: described(Type.Array(ImportOffer), 'The servers of the file, in its order.') },
  'ignore',
);
export type ServerImportPreview = Static<typeof ServerImportPreview>;
