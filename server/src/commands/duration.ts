import { ConfigError } from '../errors.ts';
import type { CommandFlag, Flags } from './command.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/**
 * The seconds that a flag gives: `90d`, `24h`, `30m`, `45s`, or `now` if `mayBeNow`. Throws ConfigError for another
 * text.
 */
export function secondsOf(flags: Flags, name: CommandFlag, { mayBeNow = false } = {}): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  if (mayBeNow && text === 'now') return 0;
  const [, count = '', unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (unit === undefined)
    throw new ConfigError(
      `--${name} must be a time such as ${mayBeNow ? '24h, 7d or now' : '24h or 90d'}, not "${text}".`,
    );
  return Number(count) * SECONDS[unit as keyof typeof SECONDS];
}
