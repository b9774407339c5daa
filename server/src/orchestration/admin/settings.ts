import type { Config } from '../../config.ts';
import { jsonTextOf } from '../../values/json.ts';
import referenceSettings from './reference-settings.json' with { type: 'json' };

/** Replaces a secret in an answer, whatever its length. */
const MASK = '**********';

/** The reference's names for the levels of the logger. It has no level below DEBUG or above CRITICAL. */
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
 * The settings in the reference's tree. A setting that this server also has shows its value; all others show the
 * reference's default, which clients assume for an absent setting. Contains no secrets. A test checks the tree against
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
