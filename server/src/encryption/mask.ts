/**
 * Hides secrets in answers to callers who may only view a workspace: values of job variables, infrastructure and
 * environments whose name says that they are secret. Every answer and frame to such a caller passes through it, so that
 * no route can forget it.
 */
import { isJsonObject, jsonTextOf, keysInOrder, parseJson } from '../values/json.ts';

/** Replaces a secret, as in blocks. */
const HIDDEN = '********';
/** Deeper than any stored value, because answers put stored values a few levels deeper. */
const MAX_DEPTH = 1000;

/** Fields that hold settings of infrastructure, or the history of these settings. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'job_variables',
  'infra_overrides',
  'infrastructure_overrides',
  'base_job_template',
  'job_configuration',
  'payload',
]);
const CONTAINER = new RegExp(`"(?:${[...CONTAINERS].join('|')}|block_schema_id)"`);

const SECRET_WORDS = [
  'pass',
  'passwd',
  'password',
  'pwd',
  'passphrase',
  'secret',
  'secrets',
  'token',
  'api_?key',
  'access_key',
  'private_key',
  'account_key',
  'encryption_key',
  'signing_key',
  'ssh_key',
  'credential',
  'credentials',
  'auth',
  'auth_string',
  'authorization',
  'bearer',
  'cookie',
  'connection_(?:string|str|url|uri|info)',
  'conn_str',
  'dsn',
  'database_ur[il]',
  'webhook_url',
  'sas',
];
const SECRET_NAME = new RegExp(`(?:^|_)(?:${SECRET_WORDS.join('|')})(?:s?$|_)`);
/**
 * Names of fields that hold environment variables. All of their values are hidden, whatever the variables are called.
 */
const ENVIRONMENT_NAME = /(?:^|_)(?:env|envs|environment|env_vars?|environment_variables?)$/;
/**
 * Matches `postgres://user:password@host` and the like. The first part stops at a colon, so that many colons are not
 * slow.
 */
const PASSWORD_IN_ADDRESS = /:\/\/[^/@\s:]*:[^/@\s]+@/;
/** A placeholder that is filled in later names the value and does not contain it. */
const TEMPLATE = /^\s*\{\{[^{}]*\}\}\s*$/;

/** The JSON with its secrets hidden. */
export function maskSecrets(json: string): string {
  if (!CONTAINER.test(json)) return json;
  const value = parseJson(json, { maxDepth: MAX_DEPTH });
  look(value);
  return jsonTextOf(value);
}

/** Finds containers; nothing outside of them is hidden. */
function look(value: unknown): void {
  if (Array.isArray(value)) for (const element of value) look(element);
  if (!isJsonObject(value) || Array.isArray(value)) return;
  const isBlock = 'block_schema_id' in value;
  for (const key of keysInOrder(value)) {
    const isContainer = CONTAINERS.has(key) || (isBlock && key === 'data');
    if (isContainer) value[key] = masked(value[key]);
    else look(value[key]);
  }
}

/** Hides the secrets within a container. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return PASSWORD_IN_ADDRESS.test(value) ? HIDDEN : value;
  if (Array.isArray(value)) return value.map(masked);
  if (!isJsonObject(value)) return value;
  for (const key of keysInOrder(value)) {
    const isSecret = isSecretName(key);
    const isEnvironment = ENVIRONMENT_NAME.test(snakeCase(key));
    const inner = value[key];
    if (key === 'properties' && isJsonObject(inner)) maskProperties(inner);
    else if (isSecret || isEnvironment) value[key] = hidden(inner);
    else value[key] = masked(inner);
  }
  // Kubernetes writes an environment as a list of `{name, value}`.
  if (typeof value['name'] === 'string' && 'value' in value && isSecretName(value['name'])) {
    value['value'] = hidden(value['value']);
  }
  return value;
}

/**
 * Hides the defaults of a template's secret variables. The names are keys of the schema, and the values are its
 * defaults.
 */
function maskProperties(properties: Record<string, unknown>): void {
  for (const name of keysInOrder(properties)) {
    const schema = properties[name];
    const isSecret = isSecretName(name) || ENVIRONMENT_NAME.test(snakeCase(name));
    if (!isSecret || !isJsonObject(schema)) {
      properties[name] = masked(schema);
      continue;
    }
    for (const key of ['default', 'const', 'enum', 'examples', 'example']) {
      if (key in schema) schema[key] = hidden(schema[key]);
    }
  }
}

/** Hides every text and number in it; in a list of `{name, value}` only the values. */
function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (isJsonObject(value)) {
    const isNamed = typeof value['name'] === 'string';
    for (const key of keysInOrder(value)) if (!isNamed || key !== 'name') value[key] = hidden(value[key]);
    return value;
  }
  if (value === null || typeof value === 'boolean' || value === '') return value;
  return typeof value === 'string' && TEMPLATE.test(value) ? value : HIDDEN;
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(snakeCase(name));
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}
