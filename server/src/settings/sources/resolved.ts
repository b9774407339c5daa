/** The settings with their values and where each comes from. */
import type { SettingKey } from '../all.ts';
import type { Setting } from '../setting.ts';

export interface ResolvedSetting {
  readonly setting: Setting;
  readonly value: string;
  readonly source: 'flag' | 'environment' | 'running' | 'file' | 'default';
  /** The source as people read it: `environment SIGNALBOX_PORT`, `signalbox.toml line 3`. */
  readonly origin: string;
  /** The file that contains a secret, if the setting names one. */
  readonly secretFile?: string;
  /** True if the running server has a value that it does not reveal; `value` is empty then. */
  readonly isWithheld?: boolean;
}

export type Resolved = Readonly<Record<SettingKey, ResolvedSetting>>;
