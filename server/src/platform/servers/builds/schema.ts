import { commandWords } from '../../../mcp/hosting/launch/command-words.ts';
import { MAX_VERSION, PACKAGE_REGISTRIES } from '../../../mcp/hosting/launch/packages.ts';
import { BUILD_STATES, refProblem, repositoryProblem } from '../../../mcp/hosting/launch/source.ts';
import {
  branch,
  DateTime,
  described,
  Enum,
  Json,
  Literal,
  Nullable,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { List } from '../../page.ts';

const noNul = (text: string) => (text.includes('\0') ? 'must not contain NUL' : undefined);
const Word = refine(Type.String({ maxLength: 4000 }), noNul);

/** A folder on the server's machine. */
const AbsolutePath = refine(Type.String({ minLength: 1, maxLength: 4000 }), (text) =>
  text.startsWith('/') ? noNul(text) : 'must be an absolute path',
);

/** The problem with a path within the source, or undefined. */
function relativeProblem(text: string): string | undefined {
  if (text.startsWith('/') || text.startsWith('-')) return 'must be a path within the source';
  return text.split(/[\\/]/).includes('..') ? 'must not lead out of the source' : noNul(text);
}

const RelativePath = refine(Type.String({ minLength: 1, maxLength: 500 }), relativeProblem);

const Entrypoint = refine(Type.String({ minLength: 1, maxLength: 500 }), (text) =>
  /^[^:]+\.(py(:[A-Za-z_]\w*)?|js|mjs|cjs|ts|mts)$/.test(text)
    ? relativeProblem(text)
    : 'must be a Python file, optionally with ":object", or a JavaScript or TypeScript file',
);

const CommandSource = Shape('CommandSource', {
  kind: Literal('command'),
  /**
   * Program and arguments. A single text is split at white space, with quotes and backslashes, and nothing is expanded.
   */
  command: Type.Union([
    branch('words', Type.Array(Word, { minItems: 1, maxItems: 200 })),
    branch(
      'text',
      refine(Type.String({ minLength: 1, maxLength: 4000 }), (text) =>
        commandWords(text) ? noNul(text) : 'must be a command with closed quotes',
      ),
    ),
  ]),
  /** Null means an empty folder for each run. */
  workingDirectory: withDefault(Nullable(AbsolutePath), null),
});

const GitSource = Shape('GitSource', {
  kind: Literal('git'),
  repository: refine(Type.String({ maxLength: 2000 }), repositoryProblem),
  /** Exactly one of the two is given. A branch or tag is resolved at the build, which records the commit. */
  commit: Type.Optional(Type.String({ pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$' })),
  ref: Type.Optional(refine(Type.String({ minLength: 1, maxLength: 250 }), refProblem)),
});

const PackageSource = Shape('PackageSource', {
  kind: Literal('package'),
  registryType: Enum('PackageRegistry', PACKAGE_REGISTRIES),
  identifier: Type.String({ minLength: 1, maxLength: 214 }),
  version: described(
    withDefault(Nullable(Type.String({ minLength: 1, maxLength: MAX_VERSION })), null),
    'An exact version. Null: the newest one at the time of the build, which records it.',
  ),
  extras: described(
    withDefault(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 20 }), []),
    'Extras of a PyPI package.',
  ),
  program: described(
    withDefault(Nullable(Type.String({ minLength: 1, maxLength: 200 })), null),
    "The program of the package to run. Null: the package's only program, or the program with the package's name.",
  ),
  arguments: withDefault(Type.Array(Word, { maxItems: 100 }), []),
});

const Source = Type.Union([
  branch('command', CommandSource),
  branch('folder', Shape('FolderSource', { kind: Literal('folder'), path: AbsolutePath })),
  branch('git', GitSource),
  branch('archive', Shape('ArchiveSource', { kind: Literal('archive'), uploadId: Uuid() })),
  branch('package', PackageSource),
]);
export type SourceWrite = Static<typeof Source>;

export const BuildCreate = Shape('ServerBuildCreate', {
  source: Source,
  /** `main.py`, `server.py:mcp`, `dist/index.js`; null: found automatically. */
  entrypoint: withDefault(Nullable(Entrypoint), null),
  /** File that lists the dependencies; null: found automatically. */
  dependencyPath: withDefault(Nullable(RelativePath), null),
  /** Deploys it as soon as it has succeeded. */
  deploy: withDefault(Type.Boolean(), false),
});
export type BuildCreate = Static<typeof BuildCreate>;

export const Build = Shape(
  'ServerBuild',
  {
    id: Uuid(),
    serverId: Uuid(),
    state: Enum('ServerBuildState', BUILD_STATES),
    source: Json(),
    entrypoint: Nullable(Type.String()),
    dependencyPath: Nullable(Type.String()),
    deploy: Type.Boolean(),
    createdAt: DateTime(),
    createdBy: Type.String(),
    startedAt: Nullable(DateTime()),
    finishedAt: Nullable(DateTime()),
    error: Nullable(Type.String()),
    /** The exact source and runtime of the build: commit, checksum, runtime. */
    resolved: Nullable(Json()),
  },
  'ignore',
);

export const BuildList = List('ServerBuildList', Build);

export const UploadCreate = Shape('ServerUploadCreate', {
  sizeBytes: Type.Integer({ minimum: 1 }),
  checksumSha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type UploadCreate = Static<typeof UploadCreate>;

export const Upload = Shape(
  'ServerUpload',
  {
    id: Uuid(),
    createdAt: DateTime(),
    sizeBytes: Type.Integer(),
    checksumSha256: Type.String(),
    /** False until its bytes have arrived. */
    stored: Type.Boolean(),
  },
  'ignore',
);
