/** The form's model of a build's source. */
import type { BuildWrite } from './hosted-queries.ts';

export const sourceKinds = [
  ['git', 'Git repository'],
  ['package', 'Package of npm or PyPI'],
  ['archive', 'Archive from this computer'],
  ['folder', 'Folder of the server’s machine'],
  ['command', 'Command of the server’s machine'],
] as const;

export type SourceKind = (typeof sourceKinds)[number][0];

/** Sources from which only operators build. */
export const ofTheMachine: ReadonlySet<SourceKind> = new Set(['folder', 'command']);

export const packageRegistries = [
  ['npm', 'npm'],
  ['pypi', 'PyPI'],
] as const;
export type PackageRegistry = (typeof packageRegistries)[number][0];

export interface SourceForm {
  readonly kind: SourceKind;
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly revision: string;
  readonly registryType: PackageRegistry;
  readonly identifier: string;
  /** Empty for the latest. */
  readonly version: string;
  /** Optional parts of a PyPI package, separated by commas. */
  readonly extras: string;
  /** The program to run; empty for the only one, or the one with the package's name. */
  readonly program: string;
  /** One argument per line. */
  readonly arguments: string;
  readonly path: string;
  readonly command: string;
  readonly workingDirectory: string;
  readonly entrypoint: string;
  readonly dependencyPath: string;
}

export const emptySource: SourceForm = {
  kind: 'git',
  repository: '',
  revision: 'main',
  registryType: 'npm',
  identifier: '',
  version: '',
  extras: '',
  program: '',
  arguments: '',
  path: '',
  command: '',
  workingDirectory: '',
  entrypoint: '',
  dependencyPath: '',
};

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** `uploadId` is the id of an uploaded archive. */
export function buildOf(form: SourceForm, deploy: boolean, uploadId: string | undefined): BuildWrite {
  return {
    source: sourceOf(form, uploadId),
    entrypoint: hasFiles(form.kind) ? form.entrypoint.trim() || null : null,
    dependencyPath: hasFiles(form.kind) ? form.dependencyPath.trim() || null : null,
    deploy,
  };
}

/** False if the program is known without reading the source. */
export function hasFiles(kind: SourceKind): boolean {
  return kind !== 'command' && kind !== 'package';
}

function sourceOf(form: SourceForm, uploadId: string | undefined): BuildWrite['source'] {
  const { kind, repository, revision, path, command, workingDirectory } = form;
  const at = revision.trim();
  switch (kind) {
    case 'git':
      return { kind, repository: repository.trim(), ...(COMMIT.test(at) ? { commit: at } : { ref: at }) };
    case 'package': {
      const { registryType, identifier, version, program } = form;
      const words = form.arguments.split('\n').filter((word) => word !== '');
      return {
        kind,
        registryType,
        identifier: identifier.trim(),
        version: version.trim() || null,
        extras: registryType === 'pypi' ? form.extras.split(/[\s,]+/).filter((extra) => extra !== '') : [],
        program: program.trim() || null,
        arguments: words,
      };
    }
    case 'archive':
      return { kind, uploadId: uploadId ?? '' };
    case 'folder':
      return { kind, path: path.trim() };
    case 'command':
      return { kind, command, workingDirectory: workingDirectory.trim() || null };
  }
}

/** The source of an earlier build, as far as the form can express it. */
export function formOf(source: unknown, entrypoint: string | null, dependencyPath: string | null): SourceForm {
  const given = source as Record<string, unknown>;
  const kind = sourceKinds.find(([one]) => one === given.kind)?.[0] ?? 'git';
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    kind,
    repository: text(given.repository),
    revision: text(given.ref) || text(given.commit) || 'main',
    registryType: packageRegistries.find(([one]) => one === given.registryType)?.[0] ?? 'npm',
    identifier: text(given.identifier),
    version: text(given.version),
    extras: Array.isArray(given.extras) ? given.extras.join(', ') : '',
    program: text(given.program),
    arguments: Array.isArray(given.arguments) ? given.arguments.join('\n') : '',
    path: text(given.path),
    command: Array.isArray(given.command) ? given.command.join(' ') : text(given.command),
    workingDirectory: text(given.workingDirectory),
    entrypoint: entrypoint ?? '',
    dependencyPath: dependencyPath ?? '',
  };
}
