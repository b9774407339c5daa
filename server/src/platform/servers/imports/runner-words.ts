/** The words with which `npx` and `uvx` are told which package to run. */
import type { PackageRegistry } from '../../../mcp/hosting/launch/packages.ts';

/** What a runner is told: `uvx --from headroom-ai[mcp] headroom serve`. */
interface RunnerWords {
  /** The package, where an option names it: `headroom-ai[mcp]`. */
  readonly from: string | undefined;
  /** The package or the program, and its arguments. */
  readonly words: readonly string[];
  /** The place of the first option that a build cannot follow. */
  readonly unknown: number | undefined;
}

/** A package as a runner names it: `@scope/name@1.2.3`, `name[extra]==1.2.3`. */
interface PackageSpec {
  readonly identifier: string;
  readonly extras: readonly string[];
  readonly version: string | undefined;
}

interface Options {
  /** These change how it is fetched or what is said meanwhile, and a build always asks for nothing and fetches anew. */
  readonly without: ReadonlySet<string>;
  /** The package follows. */
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

/** Undefined for another way to name a package: a repository, a file, a range of versions. */
export function packageSpec(registry: PackageRegistry, text: string): PackageSpec | undefined {
  const parts = SPECS[registry].exec(text.trim())?.groups;
  if (!parts) return undefined;
  const { identifier = '', extras = '', version } = parts;
  const names = extras.split(',').map((name) => name.trim());
  return { identifier, extras: names.filter((name) => name !== ''), version };
}
