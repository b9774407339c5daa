/**
 * Finds out how a person calls this program in this installation. Messages name a command as `"signalbox keys list"`,
 * in quotes; before a person sees them, `asCalled` replaces `signalbox` by the command that works there.
 */
import { existsSync } from 'node:fs';
import { basename, delimiter, dirname } from 'node:path';
import { SERVER_FOLDER } from './folders.ts';

/** Source: `scripts` of package.json. */
const SCRIPTS_OF_CLONE = new Set(['start', 'dev', 'signalbox']);
const IN_CLONE = 'npm run -s signalbox --';
/** Source: deploy/Dockerfile, which has no shell and no name for the program. */
const NODE_OF_IMAGE = '/app/node';
const IN_IMAGE = 'docker exec -i <container> /app/node /app/server/dist/main.js';

export interface Invocation {
  /** The file as Node was given it: `process.argv[1]`. */
  readonly entry: string;
  /** The path of Node. */
  readonly node: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True if the sources of the whole project lie around the program. */
  readonly isClone: boolean;
}

/** `signalbox`, or the words that replace it. */
export function programOf({ entry, node, environment, isClone }: Invocation): string {
  if (node === NODE_OF_IMAGE) return IN_IMAGE;
  if (isClone || SCRIPTS_OF_CLONE.has(environment['npm_lifecycle_event'] ?? '')) return IN_CLONE;
  if (environment['npm_command'] === 'exec') return 'npx signalbox';
  if (basename(entry) !== 'signalbox') return `node ${entry}`;
  const isOnPath = (environment['PATH'] ?? '').split(delimiter).includes(dirname(entry));
  return isOnPath ? 'signalbox' : entry;
}

export function program(): string {
  return programOf({
    entry: process.argv[1] ?? 'signalbox',
    node: process.execPath,
    environment: process.env,
    isClone: existsSync(new URL('../scripts/setup.mjs', SERVER_FOLDER)),
  });
}

/** The text with its commands as they are called in this installation. */
export function asCalled(text: string, called = program()): string {
  return text.replaceAll('"signalbox ', () => `"${called} `);
}
