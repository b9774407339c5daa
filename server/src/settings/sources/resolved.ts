/** The settings with their values and where each comes from. */
import type { SettingKey } from '../all.ts';
import type { Setting } from '../setting.ts';

export interface ResolvedSetting {
  readonly setting: Setting;
  readonly value: string;
  readonly source: 'flag' | 'environment' | 'running' | 'file' | 'default';
  /** The same for people: `environment SIGNALBOX_PORT`, `signalbox.toml line 3`. */
  readonly origin: string;
  /** The file that holds a secret, where the setting names one. */
  readonly secretFile?: string;
  /** Whether the running server has a value that it does not tell; `value` is empty then. */
  readonly isWithheld?: boolean;
}

export type Resolved = Readonly<Record<SettingKey, ResolvedSetting>>;
