/** The settings with which a host starts. */
import { join } from 'node:path';
import type { Config } from '../../../config.ts';

export const HOSTING_IS_OFF = 'Hosting is off on this server (SIGNALBOX_HOSTING).';

export interface HostSettings
  extends Pick<Config, 'home' | 'hosting' | 'hostingNetwork' | 'hostingLimits' | 'hostingCeilings'> {
  /** Paths that no program may see. */
  readonly hidden: readonly string[];
  /** True if it waits for the next server when the last one has gone, and its programs continue to run. */
  readonly outlivesServers: boolean;
}

/** `outlivesServers` is true for a host that several servers of the machine share. */
export function hostSettingsOf(
  config: Omit<HostSettings, 'hidden' | 'outlivesServers'> & Pick<Config, 'databaseUrl' | 'settingsFile'>,
  outlivesServers = false,
): HostSettings {
  const { home, hosting, hostingNetwork, hostingLimits, hostingCeilings } = config;
  const hidden = hiddenOf(config);
  return { home, hosting, hostingNetwork, hostingLimits, hostingCeilings, hidden, outlivesServers };
}

/** The home folder, and the database and the settings file if they are elsewhere. */
function hiddenOf({
  home,
  databaseUrl,
  settingsFile,
}: Pick<Config, 'home' | 'databaseUrl' | 'settingsFile'>): string[] {
  const file = databaseUrl.startsWith('sqlite:') ? databaseUrl.slice('sqlite:'.length) : undefined;
  const ofDatabase = file === undefined ? [] : [file, `${file}-wal`, `${file}-shm`];
  return [home, ...ofDatabase, ...(settingsFile ? [settingsFile.path] : [])].map((path) => join(path));
}
