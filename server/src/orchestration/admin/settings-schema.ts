/**
 * The settings tree of `GET /admin/settings`, with the reference's names and defaults: dashboards and scripts read it.
 * A setting without a counterpart here has its default.
 */
import {
  Json,
  JsonObjectOf,
  Maybe,
  Nullable,
  OneOf,
  Shape,
  type Static,
  TextSet,
  Type,
  withDefault,
} from '../../schema/kinds.ts';
import { serverSettings } from './server-settings-schema.ts';
import {
  integer,
  logLevel,
  notNegative,
  number,
  off,
  on,
  optionalText,
  Path,
  path,
  secret,
  section,
  text,
} from './settings-fields.ts';

const HttpStatus = Type.Integer({ minimum: 100, maximum: 599 });

export const Settings = Shape(
  'Settings',
  {
    home: withDefault(Path, '~/.prefect'),
    profiles_path: path,
    debug_mode: off,
    api: section('APISettings', {
      url: optionalText,
      auth_string: secret,
      key: secret,
      tls_insecure_skip_verify: off,
      ssl_cert_file: optionalText,
      enable_http2: off,
      request_timeout: number(60),
    }),
    cli: section('CLISettings', {
      colors: on,
      prompt: Maybe(Type.Boolean()),
      wrap_lines: on,
    }),
    client: section('ClientSettings', {
      max_retries: integer(5, notNegative),
      retry_jitter_factor: number(0.2, notNegative),
      retry_extra_codes: Maybe(Type.Union([Type.String(), HttpStatus, Type.Array(HttpStatus, { uniqueItems: true })])),
      csrf_support_enabled: on,
      custom_headers: Type.Optional(JsonObjectOf(Type.String())),
      server_version_check_enabled: on,
      metrics: section('ClientMetricsSettings', {
        enabled: off,
        port: integer(4201),
      }),
    }),
    cloud: section('CloudSettings', {
      api_url: text('https://api.prefect.cloud/api'),
      enable_orchestration_telemetry: on,
      max_log_size: integer(25000),
      ui_url: optionalText,
    }),
    deployments: section('DeploymentsSettings', {
      clear_schedules_on_empty: off,
      default_work_pool_name: optionalText,
      default_docker_build_namespace: optionalText,
    }),
    events: section('EventsSettings', {
      worker_max_queue_size: integer(0, notNegative),
    }),
    experiments: section('ExperimentsSettings', {
      warn: on,
    }),
    flows: section('FlowsSettings', {
      heartbeat_frequency: withDefault(Nullable(Type.Integer({ minimum: 30 })), 180),
      default_retries: integer(0, notNegative),
      default_retry_delay_seconds: withDefault(
        Type.Union([Type.Integer(), Type.Number(), Type.Array(Type.Number())]),
        0,
      ),
    }),
    internal: section('InternalSettings', {
      logging_level: logLevel('ERROR'),
    }),
    logging: section('LoggingSettings', {
      level: logLevel('INFO'),
      config_path: path,
      extra_loggers: Maybe(Type.Union([Type.String(), Type.Array(Type.String())])),
      log_prints: off,
      colors: on,
      markup: off,
      to_api: section('LoggingToAPISettings', {
        enabled: on,
        batch_interval: number(2),
        batch_size: integer(4000000),
        max_log_size: integer(1000000),
        when_missing_flow: withDefault(OneOf(['warn', 'error', 'ignore']), 'warn'),
      }),
    }),
    plugins: section('PluginsSettings', {
      enabled: off,
      allow: Maybe(TextSet()),
      deny: Maybe(TextSet()),
      setup_timeout_seconds: number(20),
      strict: off,
      safe_mode: off,
    }),
    results: section('ResultsSettings', {
      default_serializer: text('pickle'),
      persist_by_default: off,
      default_storage_block: optionalText,
      local_storage_path: path,
    }),
    runner: section('RunnerSettings', {
      process_limit: integer(5),
      poll_frequency: integer(10),
      crash_on_cancellation_failure: off,
      auto_install_dependencies: off,
      server: section('RunnerServerSettings', {
        enable: off,
        host: text('localhost'),
        port: integer(8080),
        log_level: logLevel('ERROR'),
        missed_polls_tolerance: integer(2),
      }),
    }),
    server: serverSettings,
    tasks: section('TasksSettings', {
      refresh_cache: off,
      default_no_cache: off,
      disable_caching: off,
      default_retries: integer(0, notNegative),
      default_retry_delay_seconds: withDefault(
        Nullable(Type.Union([Type.String(), Type.Integer(), Type.Number(), Type.Array(Type.Number())])),
        0,
      ),
      default_persist_result: Maybe(Type.Boolean()),
      runner: section('TasksRunnerSettings', {
        thread_pool_max_workers: Maybe(Type.Integer({ exclusiveMinimum: 0 })),
        process_pool_max_workers: Maybe(Type.Integer({ exclusiveMinimum: 0 })),
      }),
      scheduling: section('TasksSchedulingSettings', {
        default_storage_block: optionalText,
        delete_failed_submissions: on,
      }),
    }),
    telemetry: section('TelemetrySettings', {
      enable_resource_metrics: on,
      resource_metrics_interval_seconds: integer(10, { minimum: 1 }),
    }),
    testing: section('TestingSettings', {
      test_mode: off,
      unit_test_mode: off,
      unit_test_loop_debug: on,
      test_setting: withDefault(Nullable(Json()), 'FOO'),
    }),
    worker: section('WorkerSettings', {
      debug_mode: off,
      heartbeat_seconds: number(30),
      query_seconds: number(10),
      prefetch_seconds: number(10),
      enable_cancellation: off,
      cancellation_poll_seconds: number(120),
      webserver: section('WorkerWebserverSettings', {
        host: text('0.0.0.0'),
        port: integer(8080),
      }),
    }),
    ui_url: optionalText,
    silence_api_url_misconfiguration: off,
  },
  'ignore',
);
export type Settings = Static<typeof Settings>;
