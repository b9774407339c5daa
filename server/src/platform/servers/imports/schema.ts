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
  'A `server.json` of any schema, the answer of a registry, or the settings of an MCP client (`mcp.json`, `claude_desktop_config.json`): as JSON, or as its text, which may have comments.',
);

export const ServerImport = Shape('ServerImport', {
  serverJson: File,
  from: described(
    Maybe(Type.String({ maxLength: 1000 })),
    'Which of the servers that the file offers, as the preview names it: `remotes.0`, `mcpServers.github`. Null: the first remote that the gateway can speak with, or else the first package that can be hosted; a file that holds several servers needs it.',
  ),
  slug: described(Maybe(Slug), 'Made from the name, and free, unless it is given.'),
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
    Maybe(ListedValues),
    'Values of the arguments of a package that the file leaves open: by name, by what they stand for (`valueHint`), or by their place (`1`). One that may be repeated takes a list.',
  ),
});
export type ServerImport = Static<typeof ServerImport>;
export type ImportValues = Pick<ServerImport, 'variables' | 'headers' | 'environment' | 'arguments'>;

const leftOut = described(
  Type.Array(Type.String()),
  'Members of the file that have no effect on the server, by their paths.',
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
    from: described(Type.String(), 'Where the file has it; an import names it so.'),
    isFirstChoice: described(Type.Boolean(), 'True for the one that an import takes that names none.'),
    name: Type.String(),
    slug: described(Type.String(), 'Free at the moment.'),
    description: Type.String(),
    kind: ServerKind,
    source: described(Type.String(), 'Its address, or its registry, package and version.'),
    questions: described(Type.Array(ImportQuestion), 'What the file leaves open.'),
    leftOut,
    problem: described(
      Nullable(Shape('ImportProblem', { code: Type.String(), field: Type.String(), message: Type.String() }, 'ignore')),
      'Why it cannot be imported. Null: it can.',
    ),
  },
  'ignore',
);
export type ImportOffer = Static<typeof ImportOffer>;

export const ServerImportPreview = Shape(
  'ServerImportPreview',
  { servers: described(Type.Array(ImportOffer), 'What the file offers, in its order.') },
  'ignore',
);
export type ServerImportPreview = Static<typeof ServerImportPreview>;
