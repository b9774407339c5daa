/** Reads the words with which `npx` and `uvx` are told the package to run. */
import type { PackageRegistry } from '../../../mcp/hosting/launch/packages.ts';

/** The parsed words of a runner: `uvx --from headroom-ai[mcp] headroom serve`. */
interface RunnerWords {
  /** The package, if an option names it: `headroom-ai[mcp]`. */
  readonly from: string | undefined;
  /** The package or the program, and its arguments. */
  readonly words: readonly string[];
  /** The position of the first option that a build does not support. */
  readonly unknown: number | undefined;
}

/** A package in the notation of a runner: `@scope/name@1.2.3`, `name[extra]==1.2.3`. */
interface PackageSpec {
  readonly identifier: string;
  readonly extras: readonly string[];
  readonly version: string | undefined;
}

interface Options {
  /**
   * Options without an effect here: they change how the package is fetched or what is printed, and a build always runs
   * without questions and fetches again.
   */
  readonly without: ReadonlySet<string>;
  /** Options that are followed by the package. */
  readonly from: ReadonlySet<string>;
}

/** Sources: docs.npmjs.com/cli/commands/npx; docs.astral.sh/uv/reference/cli, "uv tool run"; pipx.pypa.io, "pipx run". */
const OPTIONS: Readonly<Record<PackageRegistry, Options>> = {
  npm: {
    without: new Set([
      '-y',
      '--yes',
      '-q',
      '--quiet',
      '-s',
      '--silent',
      '--prefer-online',
      '--prefer-offline',
      '--bun',
    ]),
    from: new Set(['-p', '--package']),
  },
  pypi: {
    without: new Set([
      '-q',
      '--quiet',
      '--isolated',
      '-n',
      '--no-cache',
      '--refresh',
      '-U',
      '--upgrade',
      '--no-progress',
    ]),
    from: new Set(['--from', '--spec']),
  },
};

export function runnerWords(registry: PackageRegistry, given: readonly string[]): RunnerWords {
  const { without, from: naming } = OPTIONS[registry];
  let from: string | undefined;
  let index = 0;
  for (; index < given.length; index += 1) {
    const word = given[index] ?? '';
    const [option = '', ...value] = word.split('=');
    if (without.has(word)) continue;
    if (naming.has(option) && from === undefined) {
      from = value.length > 0 ? value.join('=') : given[index + 1];
      if (value.length === 0) index += 1;
      continue;
    }
    if (word === '--') index += 1;
    else if (word.startsWith('-')) return { from, words: [], unknown: index };
    break;
  }
  return { from, words: given.slice(index), unknown: undefined };
}

const SPECS: Readonly<Record<PackageRegistry, RegExp>> = {
  npm: /^(?<identifier>@?[^@\s]+)(@(?<version>[^@\s]+))?$/,
  pypi: /^(?<identifier>[\w.-]+)(\[(?<extras>[\w.,\s-]*)\])?((==|@)(?<version>[^\s]+))?$/,
};

/** Undefined for another form of a package: a repository, a file, a range of versions. */
export function packageSpec(registry: PackageRegistry, text: string): PackageSpec | undefined {
  const parts = SPECS[registry].exec(text.trim())?.groups;
  if (!parts) return undefined;
  const { identifier = '', extras = '', version } = parts;
  const names = extras.split(',').map((name) => name.trim());
  return { identifier, extras: names.filter((name) => name !== ''), version };
}
