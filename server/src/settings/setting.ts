/** How a setting is declared, and what many of them check. */

import { isBasePath } from '../network/base-path.ts';
import { suggestion } from '../values/nearest.ts';

export interface Setting {
  readonly name: string;
  /** The Prefect server's name for it, which is accepted as well. */
  readonly alias?: string;
  /** An older name of the Prefect server, which its clients still accept. */
  readonly formerAlias?: string;
  readonly fallback: string;
  readonly description: string;
  readonly secret?: boolean;
  /** A secret of which only the password in it is hidden. */
  readonly isAddress?: boolean;
  /** Between the entries of a list, which a settings file may also write as an array. */
  readonly separator?: string;
  /** The text for an array without entries; absent: the empty text. */
  readonly none?: string;
  /** Why a settings file cannot hold it, in a sentence. */
  readonly notInFile?: string;
  /** The value with which the server chooses at its start, so that the running server knows better. */
  readonly chosenAtStart?: string;
  /** The value with the paths in it as seen from a folder. */
  readonly absolute?: (value: string, folder: string) => string;
  /** Returns the problem, or undefined. */
  readonly check?: (value: string) => string | undefined;
  /** The value as the configuration has it, under the key of the setting. Absent where others are made of it. */
  readonly read?: (value: string) => unknown;
}

/** `check` and `read` of a setting that is a number. */
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

/** With the given value and the nearest choice, so it is not for secrets. */
export const oneOf =
  (...choices: readonly string[]) =>
  (value: string) =>
    choices.includes(value)
      ? undefined
      : `must be one of ${choices.join(', ')}, but is "${value}".${suggestion(value, choices)}`;

/** The problem as a sentence, which may end with a question of its own. */
export function ended(problem: string): string {
  return /[.?]$/.test(problem) ? problem : `${problem}.`;
}

/**
 * Checks the origin of an address, such as `https://signalbox.example`; empty means none. `pathSetting` names the
 * setting that takes the path of an address that has one.
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

/** Group, organization and role of each entry `<group>=<organization>:<role>`; an empty list for what is none. */
export function groupRoleParts(value: string): string[][] {
  const entries = value.split(';').map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => /^(\S.*?)\s*=\s*([a-z0-9][a-z0-9-]*):(admin|member)$/.exec(entry)?.slice(1) ?? []);
}

/** The names in a list with commas, without empty ones. */
export function namesIn(value: string): string[] {
  return listed(value).filter((name) => name !== '');
}

/** The parts of a list with commas. */
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
