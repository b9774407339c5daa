/** Gathers the sources of a process's settings. */
import { join, resolve } from 'node:path';
import { allSettings, settings } from '../all.ts';
import { readSettingsFile, SETTINGS_FILE } from './file.ts';
import { type Environment, resolveOne, type SettingFlags, type Sources, valueOfRunning } from './resolve.ts';
import type { Resolved, ResolvedSetting } from './resolved.ts';
import { runningSettings } from './running.ts';
import { shownValue } from './shown.ts';

/** `beside` is true for a command that works beside the server on the home folder, if one runs. */
export function sourcesOf(flags: SettingFlags, environment: Environment, { beside = false } = {}): Sources {
  const given = { flags, environment };
  const home = resolve(resolveOne(settings.home, given).value);
  const running = beside ? runningSettings(home) : undefined;
  const named = resolveOne(settings.config, { ...given, running }).value;
  return { ...given, running, file: readSettingsFile(resolve(named || join(home, SETTINGS_FILE)), named !== '') };
}

/** Settings that differ from those of the running server, with the server's value, in the form for people. */
export function differences(resolved: Resolved, { running }: Sources): { own: ResolvedSetting; running: string }[] {
  if (!running) return [];
  return Object.values(resolved).flatMap((own) => {
    const { setting, value, secretFile, isWithheld } = own;
    const theirs = valueOfRunning(setting, running);
    if (theirs === undefined || isWithheld || setting.name === settings.home.name) return [];
    const compared = secretFile === undefined ? (setting.absolute?.(value, process.cwd()) ?? value) : value;
    return compared === theirs ? [] : [{ own, running: shownValue(setting, theirs) }];
  });
}

/** Finds a setting by one of its spellings: `SIGNALBOX_PORT`, `port`, `--port`. */
export function findSetting(given: string) {
  const plain = given
    .toLowerCase()
    .replace(/^--/, '')
    .replaceAll('-', '_')
    .replace(/^signalbox_/, '');
  return allSettings.find(
    ({ name, alias, formerAlias }) =>
      name === `SIGNALBOX_${plain.toUpperCase()}` || [alias, formerAlias].includes(given.toUpperCase()),
  );
}
