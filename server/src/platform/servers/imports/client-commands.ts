/**
 * Interprets the commands with which MCP clients start a program: `npx`, `uvx` and their kind, or a bridge to a remote
 * server.
 */
import type { PackageRegistry } from '../../../mcp/hosting/launch/packages.ts';
import { packageSpec, runnerWords } from './runner-words.ts';
import { type Place, refuse } from './values.ts';

type Started =
  | {
      readonly kind: 'package';
      readonly registry: PackageRegistry;
      readonly package: { readonly identifier: string; readonly version: string | undefined };
      /** The words that tell the runner the package and the program, unchanged. */
      readonly runnerWords: readonly string[];
      readonly words: readonly string[];
    }
  | {
      readonly kind: 'remote';
      readonly address: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Options of the bridge that have no effect here. */
      readonly leftOut: readonly string[];
    };

/** The first words of each runner, and the registry that it reads. */
const RUNNERS: readonly { readonly begins: readonly string[]; readonly registry: PackageRegistry }[] = [
  { begins: ['npx'], registry: 'npm' },
  { begins: ['npm', 'exec'], registry: 'npm' },
  { begins: ['bunx'], registry: 'npm' },
  { begins: ['bun', 'x'], registry: 'npm' },
  { begins: ['pnpx'], registry: 'npm' },
  { begins: ['pnpm', 'dlx'], registry: 'npm' },
  { begins: ['yarn', 'dlx'], registry: 'npm' },
  { begins: ['uvx'], registry: 'pypi' },
  { begins: ['uv', 'tool', 'run'], registry: 'pypi' },
  { begins: ['uv', 'x'], registry: 'pypi' },
  { begins: ['pipx', 'run'], registry: 'pypi' },
];
/** A program that connects standard input and output to a remote server. Source: its README. */
const BRIDGE = 'mcp-remote';

/** Throws NamedRefusal. */
export function runnerOf(command: string, args: readonly string[], place: Place): Started {
  const words = withoutShell([programName(command), ...args]);
  const runner = RUNNERS.find(({ begins }) => begins.every((word, index) => words[index] === word));
  if (!runner) {
    return refuse(
      'packages_not_supported',
      [...place, 'command'],
      `Packages that npx or uvx start can be hosted; this one starts ${words[0]}. Add it as a hosted server with its repository, an archive or a command.`,
    );
  }
  const { registry } = runner;
  const given = words.slice(runner.begins.length);
  const read = runnerWords(registry, given);
  if (read.unknown !== undefined) {
    refuse(
      'packages_not_supported',
      [...place, 'args'],
      `A build has no option ${given[read.unknown]?.split('=')[0]}.`,
    );
  }
  const [first = '', ...others] = read.words;
  const found = packageSpec(registry, read.from ?? first);
  if (!found) {
    return refuse(
      'packages_not_supported',
      [...place, 'args'],
      `This is not a package of ${registry} with an exact version or no version. Add it as a hosted server with its repository.`,
    );
  }
  if (found.identifier === BRIDGE) return behindBridge(others, place);
  const before = given.slice(0, given.length - read.words.length);
  return {
    kind: 'package',
    registry,
    package: { identifier: found.identifier, version: found.version },
    runnerWords: [...before, ...read.words.slice(0, 1)],
    words: others,
  };
}

function behindBridge([address = '', ...options]: readonly string[], place: Place): Started {
  if (!URL.canParse(address)) refuse('no_remote', [...place, 'args'], `${BRIDGE} has no address.`);
  const isHeader = (index: number) => options[index] === '--header';
  const headers = options.flatMap((option, index) => {
    const [name = '', ...value] = option.split(':');
    return isHeader(index - 1) ? [[name.trim(), value.join(':').trim()]] : [];
  });
  const leftOut = options.filter(
    (option, index) => option.startsWith('--') && !isHeader(index) && !isHeader(index - 1),
  );
  return { kind: 'remote', address, headers: Object.fromEntries(headers), leftOut };
}

/** The last part of a path, without the ending that Windows gives programs. */
function programName(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? '').replace(/\.(cmd|exe|bat)$/i, '');
}

/** Removes `cmd /c`, with which Windows starts `npx`. */
function withoutShell(words: readonly string[]): readonly string[] {
  return words[0] === 'cmd' && words[1]?.toLowerCase() === '/c'
    ? [programName(words[2] ?? ''), ...words.slice(3)]
    : words;
}
