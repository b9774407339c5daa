/** The declaration of a setting, and checks that many of them share. */

import { isBasePath } from '../network/base-path.ts';
import { suggestion } from '../values/nearest.ts';

export interface Setting {
  readonly name: string;
  /** The Prefect server's name for it, which is also accepted. */
  readonly alias?: string;
  /** An older name of the Prefect server, which its clients still accept. */
  readonly formerAlias?: string;
  readonly fallback: string;
  readonly description: string;
  readonly secret?: boolean;
  /** True for a secret of which only the password is hidden. */
  readonly isAddress?: boolean;
  /** The separator between the entries of a list, which a settings file may also write as an array. */
  readonly separator?: string;
  /** The text for an empty array; absent: the empty text. */
  readonly none?: string;
  /** The reason why a settings file cannot contain it, as a sentence. */
  readonly notInFile?: string;
  /** The value for which the server chooses at its start, so that the running server knows the actual value. */
  readonly chosenAtStart?: string;
  /** The value with its paths resolved against a folder. */
  readonly absolute?: (value: string, folder: string) => string;
  /** Returns the problem, or undefined. */
  readonly check?: (value: string) => string | undefined;
  /** The value for the configuration, under the key of the setting. Absent if the configuration computes other values. */
  readonly read?: (value: string) => unknown;
}

/** `check` and `read` of a numeric setting. */
export const wholeNumber = (minimum: number, maximum: number) => ({
  check: (value: string) =>
    /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
      ? undefined
      : `must be a whole number from ${minimum} to ${maximum}`,
  read: Number as (value: string) => number,
});

/** `check` and `read` of a setting that is one of several words. */
export const choice = <const Word extends string>(...words: readonly Word[]) => ({
  check: oneOf(...words),
  read: (value: string) => value as Word,
});

/** `read` of a setting that is a text. */
export const asText = (value: string) => value;

/** The problem contains the given value and the nearest choice, so it is not for secrets. */
export const oneOf =
  (...choices: readonly string[]) =>
  (value: string) =>
    choices.includes(value)
      ? undefined
      : `must be one of ${choices.join(', ')}, but is "${value}".${suggestion(value, choices)}`;

/** The problem as a sentence. It may end with a question already. */
export function ended(problem: string): string {
  return /[.?]$/.test(problem) ? problem : `${problem}.`;
}

/**
 * Checks the origin of an address, such as `https://signalbox.example`; empty means none. `pathSetting` is the setting
 * for the path, which the message names if the address has one.
 */
export const originOrEmpty = (name: string, example: string, pathSetting?: string) => (value: string) => {
  if (value === '') return undefined;
  const url = URL.parse(value);
  if (!url || !/^https?:\/\/[^@]+$/i.test(value)) return `must be like ${example}`;
  if (/^https?:\/\/[^/?#]+$/i.test(value)) return undefined;
  // People also copy the address of the API.
  const path = url.pathname.replace(/(\/api)?\/*$/, '');
  const takesPath = pathSetting !== undefined && isBasePath(path);
  const more = takesPath ? ` and ${pathSetting}=${path}` : '';
  return `is "${value}", but takes only scheme, host and port. Set ${name}=${url.origin}${more}`;
};

/** Group, organization and role of each entry `<group>=<organization>:<role>`; an empty list for an invalid entry. */
export function groupRoleParts(value: string): string[][] {
  const entries = value.split(';').map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => /^(\S.*?)\s*=\s*([a-z0-9][a-z0-9-]*):(admin|member)$/.exec(entry)?.slice(1) ?? []);
}

/** The names in a comma-separated list, without empty ones. */
export function namesIn(value: string): string[] {
  return listed(value).filter((name) => name !== '');
}

/** The parts of a comma-separated list. */
export function listed(value: string): string[] {
  return value.split(',').map((name) => name.trim());
}

/** `SIGNALBOX_DATABASE_URL` is `--database-url` on the command line. */
export function flagOf(name: string): string {
  return name.replace('SIGNALBOX_', '').toLowerCase().replaceAll('_', '-');
}

/** `SIGNALBOX_DATABASE_URL` is `database_url` in a settings file. */
export function nameInFile(name: string): string {
  return name.replace('SIGNALBOX_', '').toLowerCase();
}
