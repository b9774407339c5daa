/** Version numbers of this program, of clients and of the API: whole numbers with dots. */
import { readFileSync } from 'node:fs';

/** The version of this program. */
export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as {
  version: string;
};

/** Negative when `left` is older. Versions of three or more numbers. */
export function compareVersions(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** True when `version` (`3.4.11`, any suffix ignored) is at least `wanted`; an unknown version is not. */
export function isAtLeast(version: string | undefined, wanted: string): boolean {
  const given = version && /^\d+\.\d+\.\d+/.exec(version)?.[0];
  return given ? compareVersions(given.split('.').map(Number), wanted.split('.').map(Number)) >= 0 : false;
}
