import type { Config } from '../../config.ts';
import { jsonTextOf } from '../../json.ts';
import referenceSettings from './reference-settings.json' with { type: 'json' };

/** What a secret looks like in an answer, whatever its length. */
const MASK = '**********';

/** Names of the reference for the levels of the logger; it has none below DEBUG and none above CRITICAL. */
const LOG_LEVELS: Readonly<Record<string, string>> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
  silent: 'CRITICAL',
};

/**
 * The settings in the reference's tree: what this server has under the same meaning with its own value, the rest with
 * the reference's default, which is what clients take an absent setting for. Never holds a secret. A test holds it to
 * the shape `Settings`.
 */
export function settingsTree(config: Config) {
  const { server } = referenceSettings;
  return {
    ...referenceSettings,
    home: config.home,
    profiles_path: `${config.home}/profiles.toml`,
    logging: { ...referenceSettings.logging, config_path: `${config.home}/logging.yml` },
    results: { ...referenceSettings.results, local_storage_path: `${config.home}/storage` },
    server: {
      ...server,
      logging_level: LOG_LEVELS[config.logLevel] ?? 'INFO',
      analytics_enabled: false,
      memo_store_path: `${config.home}/memo_store.toml`,
      api: {
        ...server.api,
        auth_string: config.apiAuth === 'basic' ? MASK : null,
        host: config.host,
        port: config.port,
        default_limit: config.apiMaxLimit,
        max_parameter_size: config.maxParameterBytes,
      },
      database: { ...server.database, connection_url: MASK },
      ui: { ...server.ui, api_url: `http://${config.host}:${config.port}/api` },
    },
    testing: { ...referenceSettings.testing, test_setting: jsonTextOf(referenceSettings.testing.test_setting) },
  };
}
