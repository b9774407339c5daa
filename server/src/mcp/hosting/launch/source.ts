/** Where the code of a hosted server comes from, as it was asked for and as it is stored. */
export type BuildSource =
  | { readonly kind: 'command'; readonly command: readonly string[]; readonly workingDirectory: string | null }
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'git';
      readonly repository: string;
      /** One of the two is given. */
      readonly commit?: string;
      /** A branch or tag, by its name or as `refs/heads/…`, `refs/tags/…`. */
      readonly ref?: string;
    }
  | { readonly kind: 'archive'; readonly uploadId: string }
  | PackageSource;

/** A published package whose program is the server. */
export interface PackageSource {
  readonly kind: 'package';
  readonly registryType: PackageRegistry;
  readonly identifier: string;
  /** An exact one. */
  readonly version: string;
  /** What its program is started with. */
  readonly arguments: readonly string[];
}

/** Registries of packages, as the MCP registry names them. */
export const PACKAGE_REGISTRIES = ['npm', 'pypi'] as const;
export type PackageRegistry = (typeof PACKAGE_REGISTRIES)[number];

/** The exact source that was built. */
export interface Resolved {
  readonly repository?: string;
  /** As it was asked for; `commit` is where it led. */
  readonly ref?: string;
  readonly commit?: string;
  readonly checksumSha256?: string;
  readonly runtime?: 'python' | 'node';
}

export const BUILD_STATES = ['queued', 'building', 'succeeded', 'failed', 'canceled'] as const;

/** The problem with the address of a repository, or undefined. */
export function repositoryProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'must be a URL';
  if (url.protocol !== 'https:' && url.protocol !== 'file:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  return undefined;
}

/** The problem with the name of a branch or tag, or undefined. Source: git-check-ref-format(1). */
export function refProblem(text: string): string | undefined {
  const parts = text.split('/');
  const isBad = (part: string) => part === '' || part.startsWith('.') || part.endsWith('.lock') || part.endsWith('.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what git refuses
  const isName = !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(text) && !parts.some(isBad);
  if (!isName || text.startsWith('-') || text === '@') return 'must be the name of a branch or tag';
  if (parts[0] !== 'refs') return undefined;
  return /^refs\/(heads|tags)\/./.test(text) ? undefined : 'must be below refs/heads/ or refs/tags/';
}

/** Sources: docs.npmjs.com/cli/configuring-npm/package-json, "name"; semver.org; PEP 508 and PEP 440. */
const PACKAGES: Readonly<Record<PackageRegistry, { readonly identifier: RegExp; readonly version: RegExp }>> = {
  npm: {
    identifier: /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/,
    version: /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/,
  },
  pypi: {
    identifier: /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    version: /^(\d+!)?\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[a-z0-9.]+)?$/,
  },
};

/** The field of a package that is not what its registry would take, and the problem with it; undefined without one. */
export function packageProblem({
  registryType,
  identifier,
  version,
}: Pick<PackageSource, 'registryType' | 'identifier' | 'version'>):
  | { readonly field: 'identifier' | 'version'; readonly problem: string }
  | undefined {
  const valid = PACKAGES[registryType];
  if (!valid.identifier.test(identifier)) {
    return { field: 'identifier', problem: `must be the name of a package of ${registryType}` };
  }
  return valid.version.test(version) ? undefined : { field: 'version', problem: 'must be one exact version' };
}

/** True for a source that names programs or folders of the machine itself. */
export function namesThisMachine(source: BuildSource): boolean {
  return (
    source.kind === 'command' ||
    source.kind === 'folder' ||
    (source.kind === 'git' && source.repository.toLowerCase().startsWith('file:'))
  );
}
