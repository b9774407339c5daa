/** Every setting, in the order in which `docs/settings.md` and `signalbox config` list them. */
import { accessSettings } from './access.ts';
import { databaseSettings } from './database.ts';
import { limitSettings } from './limits.ts';
import { mailSettings } from './mail.ts';
import { mcpServerSettings } from './mcp-servers.ts';
import { serverSettings } from './server.ts';
import { serviceSettings } from './services.ts';
import type { Setting } from './setting.ts';

export const settings = {
  ...serverSettings,
  ...databaseSettings,
  ...accessSettings,
  ...mailSettings,
  ...limitSettings,
  ...serviceSettings,
  ...mcpServerSettings,
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof settings;

/** All settings, for code that treats each alike. */
export const allSettings: readonly Setting[] = Object.values(settings);

/** The settings that the configuration contains under their own keys, each with the type that its `read` returns. */
export type ReadSettings = {
  readonly [Key in SettingKey as (typeof settings)[Key] extends { readonly read: unknown }
    ? Key
    : never]: (typeof settings)[Key] extends { readonly read: (value: string) => infer Value } ? Value : never;
};
