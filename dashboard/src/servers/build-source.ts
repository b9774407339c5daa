/** The fields of a build's source as a form holds them. */
import type { BuildWrite } from './hosted-queries.ts';

export const sourceKinds = [
  ['git', 'Git repository'],
  ['package', 'Package of npm or PyPI'],
  ['archive', 'Archive from this computer'],
  ['folder', 'Folder of the server’s machine'],
  ['command', 'Command of the server’s machine'],
] as const;

export type SourceKind = (typeof sourceKinds)[number][0];

/** Those that only operators build from. */
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
  /** Empty: the newest. */
  readonly version: string;
  /** Optional parts of a package of PyPI, with commas between them. */
  readonly extras: string;
  /** Which of its programs runs; empty: the only one, or the one with its name. */
  readonly program: string;
  /** One on each line. */
  readonly arguments: string;
  readonly folder: string;
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
  folder: '',
  command: '',
  workingDirectory: '',
  entrypoint: '',
  dependencyPath: '',
};

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** `uploadId`: of an archive that was sent. */
export function buildOf(form: SourceForm, deploy: boolean, uploadId: string | undefined): BuildWrite {
  return {
    source: sourceOf(form, uploadId),
    entrypoint: hasFiles(form.kind) ? form.entrypoint.trim() || null : null,
    dependencyPath: hasFiles(form.kind) ? form.dependencyPath.trim() || null : null,
    deploy,
  };
}

/** False where the program is known without looking at the source. */
export function hasFiles(kind: SourceKind): boolean {
  return kind !== 'command' && kind !== 'package';
}

function sourceOf(form: SourceForm, uploadId: string | undefined): BuildWrite['source'] {
  const { kind, repository, revision, folder, command, workingDirectory } = form;
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
      return { kind, path: folder.trim() };
    case 'command':
      return { kind, command, workingDirectory: workingDirectory.trim() || null };
  }
}

/** The same source again, as far as it can be. */
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
    folder: text(given.path),
    command: Array.isArray(given.command) ? given.command.join(' ') : text(given.command),
    workingDirectory: text(given.workingDirectory),
    entrypoint: entrypoint ?? '',
    dependencyPath: dependencyPath ?? '',
  };
}
