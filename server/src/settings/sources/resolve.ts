/** Finds the value of each setting and its source: flags, the environment, a running server, the file, the default. */
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { ConfigError } from '../../errors.ts';
import { suggestion } from '../../values/nearest.ts';
import { allSettings, type SettingKey, settings } from '../all.ts';
import { isServiceLink } from '../service-links.ts';
import { ended, flagOf, nameInFile, type Setting } from '../setting.ts';
import { type SettingsFile, subjectOf } from './file.ts';
import type { Resolved, ResolvedSetting } from './resolved.ts';
import { checkOneDatabase, type RunningSettings } from './running.ts';
import { quotable, shownValue } from './shown.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
/** Values by the names that `flagOf` gives. */
export type SettingFlags = Readonly<Record<string, string>>;

export interface Sources {
  readonly flags: SettingFlags;
  readonly environment: Environment;
  /** The settings of the server that runs on the home folder, for a command beside it. */
  readonly running?: RunningSettings | undefined;
  readonly file?: SettingsFile | undefined;
}

/** A value before its check. */
interface Found extends Omit<ResolvedSetting, 'setting'> {
  /** The subject of the sentence that refuses it. */
  readonly subject: string;
}

/** Throws ConfigError for a variable that begins like a setting but is not one, and for an invalid value. */
export function resolveSettings(sources: Sources): Resolved {
  const own = Object.entries(sources.environment).filter(([name, value]) => !isServiceLink(name, value));
  const environment: Environment = Object.fromEntries(own);
  refuseUnknown(environment);
  const all = Object.entries<Setting>(settings).map(([key, setting]) => [
    key,
    resolveOne(setting, { ...sources, environment }),
  ]);
  return Object.fromEntries(all) as Record<SettingKey, ResolvedSetting>;
}

export function resolveOne(setting: Setting, sources: Sources): ResolvedSetting {
  const { subject, ...found } = findValue(setting, sources);
  const problem = found.isWithheld ? undefined : setting.check?.(found.value);
  if (problem === undefined) return { setting, ...found };
  const shown = quotable(shownValue(setting, found.value));
  const said = setting.secret || problem.includes(`"${found.value}"`) ? '' : `, but is "${shown}"`;
  throw new ConfigError(ended(`${subject} ${problem}${said}`));
}

function refuseUnknown(environment: Environment): void {
  const known = new Set(allSettings.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));
  for (const name of Object.keys(environment)) {
    if (name.startsWith('SIGNALBOX_') && !name.startsWith('SIGNALBOX_TEST_') && !known.has(name)) {
      const meant = suggestion(name, [...known]);
      throw new ConfigError(`${name} is not a setting of Signalbox.${meant} "signalbox config" lists the settings.`);
    }
  }
}

function findValue(setting: Setting, sources: Sources): Found {
  const { name, fallback, chosenAtStart } = setting;
  const given = inFlags(setting, sources.flags) ?? inEnvironment(setting, sources.environment);
  if (given && given.value !== chosenAtStart) return given;
  return (
    (sources.running && inRunning(setting, sources.running)) ??
    given ??
    (sources.file && inFile(setting, sources.file)) ?? {
      value: fallback,
      source: 'default',
      origin: 'default',
      subject: name,
    }
  );
}

function inFlags({ name }: Setting, flags: SettingFlags): Found | undefined {
  const flag = `--${flagOf(name)}`;
  const value = flags[flagOf(name)];
  return value === undefined ? undefined : { value, source: 'flag', origin: `flag ${flag}`, subject: flag };
}

function inEnvironment(setting: Setting, environment: Environment): Found | undefined {
  const { name, alias, formerAlias } = setting;
  const source = 'environment';
  const secretFile = secretFileOf(setting, name, (variable) => environment[variable]);
  if (secretFile !== undefined) {
    const variable = `${name}_FILE`;
    const value = contentOf(variable, secretFile);
    return { value, source, origin: `${source} ${variable}`, subject: `The file of ${variable}`, secretFile };
  }
  for (const variable of [name, alias, formerAlias]) {
    const value = variable === undefined ? undefined : environment[variable];
    if (variable === undefined || value === undefined) continue;
    return { value, source, origin: `${source} ${variable}`, subject: variable };
  }
  return undefined;
}

/** Undefined if the running server does not reveal it. */
export function valueOfRunning(setting: Setting, running: RunningSettings): string | undefined {
  const found = inRunning(setting, { ...running, differing: 0 });
  return found?.isWithheld ? undefined : found?.value;
}

function inRunning(setting: Setting, running: RunningSettings): Found | undefined {
  const { name } = setting;
  if (name === settings.databaseUrl.name) checkOneDatabase(running);
  const common = { source: 'running', origin: 'the running server', subject: `${name} of the running server` } as const;
  const secretFile = setting.secret ? running.values[`${name}_FILE`] : undefined;
  if (secretFile !== undefined) return { ...common, value: contentOf(`${name}_FILE`, secretFile), secretFile };
  const value = running.values[name];
  if (value !== undefined) return { ...common, value };
  return running.withheld.includes(name) ? { ...common, value: '', isWithheld: true } : undefined;
}

function inFile(setting: Setting, file: SettingsFile): Found | undefined {
  const { name, absolute } = setting;
  const folder = dirname(file.path);
  const place = (line: number) => ({ source: 'file', origin: `${basename(file.path)} line ${line}` }) as const;
  const variable = `${name}_FILE`;
  const subject = (of: string) => subjectOf(nameInFile(of), file.entries.get(of)?.line ?? 0, file.path);
  const named = secretFileOf(setting, subject(name), (of) => file.entries.get(of)?.value, subject(variable));
  if (named !== undefined) {
    const secretFile = resolve(folder, named);
    const value = contentOf(subject(variable), secretFile, `the line`);
    const { line } = file.entries.get(variable) ?? { line: 0 };
    return { ...place(line), value, subject: `The file of ${subject(variable)}`, secretFile };
  }
  const entry = file.entries.get(name);
  if (!entry) return undefined;
  return { ...place(entry.line), value: absolute?.(entry.value, folder) ?? entry.value, subject: subject(name) };
}

/** The path in `…_FILE`. Throws ConfigError when the secret is given too. */
function secretFileOf(
  { name, secret }: Setting,
  spelt: string,
  entry: (variable: string) => string | undefined,
  speltFile = `${name}_FILE`,
): string | undefined {
  const path = secret ? entry(`${name}_FILE`) : undefined;
  if (path !== undefined && entry(name) !== undefined) {
    throw new ConfigError(`Set ${spelt} or ${speltFile}, not both.`);
  }
  return path;
}

/** Refuses an empty file: otherwise an intended credential would be missing. */
export function contentOf(subject: string, path: string, what = subject): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new ConfigError(`${subject} names ${path || 'no file'}, which ${reason}. Create the file, or unset ${what}.`);
  }
  if (content === '') throw new ConfigError(`${subject} names ${path}, which is empty. Fill it, or unset ${what}.`);
  return content;
}
