/**
 * Recovers flags from `npm start --port 4300`: npm consumes flags before `--` and passes them on as environment
 * variables; npm 11 passes some as `true`, with the value behind the command.
 */
import { ConfigError } from '../errors.ts';
import { settings } from '../settings/all.ts';
import { flagOf } from '../settings/setting.ts';

const SCRIPTS = new Set(['start', 'dev', 'signalbox']);

/**
 * The words of the command and its flags, including those that npm consumed. Throws ConfigError if they can no longer
 * be matched.
 */
export function npmFlags(
  positionals: readonly string[],
  flags: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): { words: readonly string[]; flags: Record<string, string> } {
  if (!SCRIPTS.has(environment['npm_lifecycle_event'] ?? '')) return { words: positionals, flags: { ...flags } };
  const taken = Object.values(settings).flatMap(({ name }) => {
    const flag = flagOf(name);
    const value = environment[`npm_config_${flag.replaceAll('-', '_')}`];
    return value === undefined || flag in flags ? [] : [{ flag, value }];
  });
  const bare = taken.filter(({ value }) => value === 'true');
  const isStart = positionals[0] === 'server' && positionals[1] === 'start';
  const left = isStart ? positionals.slice(2) : [];
  if (bare.length === 0 || left.length === 0) {
    return {
      words: positionals,
      flags: { ...Object.fromEntries(taken.map(({ flag, value }) => [flag, value])), ...flags },
    };
  }
  const [only] = bare;
  if (!only || bare.length > 1 || left.length > 1) {
    throw new ConfigError(
      `npm consumed these flags. Write them after --: npm start -- ${bare.map(({ flag }) => `--${flag} <value>`).join(' ')}.`,
    );
  }
  const values = taken.map(({ flag, value }) => [flag, flag === only.flag ? (left[0] ?? '') : value]);
  return { words: positionals.slice(0, 2), flags: { ...Object.fromEntries(values), ...flags } };
}
