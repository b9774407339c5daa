/** Published packages: the names and versions that their registries accept, and the form of a package in a source. */

/** Registries of packages, by their names in the MCP registry. */
export const PACKAGE_REGISTRIES = ['npm', 'pypi'] as const;
export type PackageRegistry = (typeof PACKAGE_REGISTRIES)[number];

/** Characters of a version. */
export const MAX_VERSION = 100;

/** A published package whose program is the server. */
export interface PackageSource {
  readonly kind: 'package';
  readonly registryType: PackageRegistry;
  readonly identifier: string;
  /** An exact version in the registry's own spelling. Null means the latest at the time of the build. */
  readonly version: string | null;
  /** Optional parts of a package of PyPI: `name[extra]`. */
  readonly extras?: readonly string[];
  /** The program to run. Absent or null: the package's only program, or the program with the package's name. */
  readonly program?: string | null;
  /** The arguments of its program. */
  readonly arguments: readonly string[];
}

/** Sources: docs.npmjs.com/cli/configuring-npm/package-json, "name"; PEP 508. */
const IDENTIFIERS: Readonly<Record<PackageRegistry, RegExp>> = {
  npm: /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/,
  pypi: /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/,
};

/** Source: semver.org. npm accepts a `v` or `=` in front. */
const SEMANTIC = /^[v=]?(\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?)$/;

/** Source: PEP 440, "Normalization", with all accepted spellings. */
const PYTHON = new RegExp(
  '^v?(?<epoch>\\d+!)?(?<release>\\d+(\\.\\d+)*)' +
    '([-_.]?(?<phase>a|b|c|rc|alpha|beta|pre|preview)[-_.]?(?<phaseNumber>\\d*))?' +
    '(-(?<postAlone>\\d+)|[-_.]?(?<post>post|rev|r)[-_.]?(?<postNumber>\\d*))?' +
    '([-_.]?(?<dev>dev)[-_.]?(?<devNumber>\\d*))?' +
    '(\\+(?<local>[a-z0-9]+([-_.][a-z0-9]+)*))?$',
);
const PHASES: Readonly<Record<string, string>> = { alpha: 'a', beta: 'b', c: 'rc', pre: 'rc', preview: 'rc' };

/** The version in the spelling of its registry; undefined if the text is not one exact version. */
export function exactVersion(registryType: PackageRegistry, text: string): string | undefined {
  if (registryType === 'npm') return SEMANTIC.exec(text)?.[1];
  const parts = PYTHON.exec(text.trim().toLowerCase())?.groups;
  if (!parts) return undefined;
  const { epoch, release = '', phase, phaseNumber, postAlone, post, postNumber, dev, devNumber, local } = parts;
  return [
    epoch && epoch !== '0!' ? epoch : '',
    release.split('.').map(plain).join('.'),
    phase ? `${PHASES[phase] ?? phase}${plain(phaseNumber)}` : '',
    post ? `.post${plain(postNumber)}` : postAlone ? `.post${plain(postAlone)}` : '',
    dev ? `.dev${plain(devNumber)}` : '',
    local ? `+${local.replaceAll(/[-_]/g, '.')}` : '',
  ].join('');
}

/** Without leading zeros; an empty text is zero. */
function plain(digits: string | undefined): string {
  return (digits ?? '').replace(/^0+(?=\d)/, '') || '0';
}

/** The normalized name, which is equal for all spellings that PyPI treats as one. Source: PEP 503. */
export function foldedName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** The field of a package that its registry would refuse, with the problem; undefined if there is none. */
export function packageProblem({
  registryType,
  identifier,
  version,
  extras = [],
  program,
}: Omit<PackageSource, 'kind' | 'arguments'>):
  | { readonly field: 'identifier' | 'version' | 'extras' | 'program'; readonly problem: string }
  | undefined {
  if (!IDENTIFIERS[registryType].test(identifier)) {
    return { field: 'identifier', problem: `must be the name of a package of ${registryType}` };
  }
  if (version !== null && exactVersion(registryType, version) === undefined) {
    return { field: 'version', problem: 'must be one exact version' };
  }
  if (extras.length > 0 && registryType === 'npm')
    return { field: 'extras', problem: 'are allowed only for packages of PyPI' };
  if (extras.some((extra) => !IDENTIFIERS.pypi.test(extra))) {
    return { field: 'extras', problem: 'must be names of extras' };
  }
  if (program && !/^\w[\w.-]*$/.test(program)) return { field: 'program', problem: 'must be the name of a program' };
  return undefined;
}
