import { resolve } from 'node:path';
import { configFrom } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { allSettings } from '../settings/all.ts';
import { nameInFile } from '../settings/setting.ts';
import { resolveSettings, type Sources } from '../settings/sources/resolve.ts';
import type { Resolved, ResolvedSetting } from '../settings/sources/resolved.ts';
import { runningSettings } from '../settings/sources/running.ts';
import { shownValue } from '../settings/sources/shown.ts';
import { differences, findSetting, sourcesOf } from '../settings/sources/sources.ts';
import { suggestion } from '../values/nearest.ts';
import { type Command, print, settingFlags } from './command.ts';

const NAME_WIDTH = 49;

export const configCommands: readonly Command[] = [
  {
    words: 'config',
    says: 'Print the settings with which a server would start now, or one of them, and the source of each value. If the running server has another value, that is printed too. Secrets are hidden. The exit code is 1 when the settings contradict each other.',
    flags: [],
    json: true,
    operand: {
      value: '<setting>',
      says: 'One setting, such as port or SIGNALBOX_PORT.',
      choices: allSettings.map(({ name }) => nameInFile(name)),
    },
    run(flags, json, operand) {
      const wanted = operand === undefined ? allSettings : [settingNamed(operand)];
      const sources = sourcesOf(settingFlags(flags), process.env);
      const resolved = resolveSettings(sources);
      const beside = { ...sources, running: runningSettings(resolve(resolved.home.value)) };
      const running = new Map(differences(resolved, beside).map((one) => [one.own.setting, one.running]));
      const rows = Object.values(resolved)
        .filter(({ setting }) => wanted.includes(setting))
        .map((one) => rowOf(one, running.get(one.setting)));
      print(json, operand === undefined ? rows : rows[0], rows.map(lineOf).join('\n'));
      const { exposure } = sources.file ?? {};
      if (exposure) console.error(`${exposure.says} ${exposure.cure}`);
      return problemOf(resolved, sources) ? 1 : 0;
    },
  },
];

interface Row {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly origin: string;
  /** The value that the running server has, if it differs. */
  readonly running?: string;
}

function rowOf({ setting, value, source, origin }: ResolvedSetting, running: string | undefined): Row {
  return {
    name: setting.name,
    value: shownValue(setting, value),
    source,
    origin,
    ...(running === undefined ? {} : { running }),
  };
}

function lineOf({ name, value, origin, running }: Row): string {
  const beside = running === undefined ? '' : `  (the running server has ${running || 'an empty value'})`;
  return `${name.padEnd(NAME_WIDTH)} ${value || '(empty)'}  [${origin}]${beside}`;
}

/** Prints how settings contradict each other, next to their values. */
function problemOf(resolved: Resolved, sources: Sources): boolean {
  try {
    configFrom(resolved, sources);
    return false;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return true;
  }
}

function settingNamed(given: string) {
  const found = findSetting(given);
  if (found) return found;
  const known = allSettings.map(({ name }) => (given.startsWith('SIGNALBOX_') ? name : nameInFile(name)));
  throw new ConfigError(
    `"${given}" is not a setting of Signalbox.${suggestion(given, known)} "signalbox config" lists the settings.`,
  );
}
