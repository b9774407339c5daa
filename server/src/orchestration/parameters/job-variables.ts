/** Checks the job variables of deployments and runs against the schema in their pool's template. */

import { Unprocessable } from '../../errors.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import { isJsonObject, type JsonText, jsonTextOf, parseObject } from '../../values/json.ts';
import { mayRead, type ParameterRefusal, parameterSchemaFault, validateParameters } from './parameter-schema.ts';

type JsonObject = Record<string, unknown>;

/**
 * The reason why `values` do not fit the template; undefined when they do. An invalid schema is a fault of the
 * template, whatever the values. The template's defaults replace missing variables. A default that does not fit its own
 * schema is ignored, and its variable becomes optional. `required: false` makes every variable optional, because a run
 * can still set it. Source: `POST /deployments/` of the Prefect server 3.9.1.
 */
export function jobVariableFault(
  baseJobTemplate: JsonText,
  values: JsonText,
  { required }: { readonly required: boolean },
): ParameterRefusal | undefined {
  const schema = schemaIn(baseJobTemplate);
  if (!schema) return undefined;
  const unsound = schemaFaultIn(baseJobTemplate, schema);
  if (unsound !== undefined) return { kind: 'schema', message: `Invalid schema: ${unsound}` };
  const { properties, optional, defaults } = separateDefaults(schema);
  const applied = {
    ...schema,
    properties,
    ...(Array.isArray(schema['required'])
      ? { required: schema['required'].filter((name) => !optional.has(name)) }
      : {}),
  };
  const given = { ...defaults, ...parseObject(values) };
  return validateParameters(jsonTextOf(applied), jsonTextOf(given), { ignoreRequired: !required });
}

/** The job variables of a deployment and the template of its pool; null when it has no pool. */
interface DeployedJobVariables {
  readonly base_job_template: JsonText | null;
  readonly job_variables: JsonText;
}

/**
 * The reason why the job variables of a run do not fit the pool of its deployment. The run's own variables override the
 * deployment's. Undefined when they fit or the deployment has no pool.
 */
export function runJobVariableFault(
  { base_job_template: template, job_variables }: DeployedJobVariables,
  own: JsonText | null | undefined,
): ParameterRefusal | undefined {
  if (template === null) return undefined;
  const values = own ? jsonTextOf({ ...parseObject(job_variables), ...parseObject(own) }) : job_variables;
  return jobVariableFault(template, values, { required: true });
}

/** Throws Unprocessable for a refusal. The message of an invalid schema omits the `beginning`. */
export function requireFit(refusal: ParameterRefusal | undefined, beginning: string): void {
  if (refusal) throw new Unprocessable(refusal.kind === 'schema' ? refusal.message : beginning + refusal.message);
}

/** The schema faults of the last templates read. A pool's template stays the same for many runs. */
const knownFaults = new BoundedMap<JsonText, { readonly fault: string | undefined }>({ name: 'templates', most: 50 });
/** A template longer than this, in characters, is checked each time, so that the cache stays small. */
const LONGEST_KNOWN = 100_000;

function schemaFaultIn(template: JsonText, schema: JsonObject): string | undefined {
  const find = () => ({ fault: parameterSchemaFault(jsonTextOf(schema)) });
  return (template.length > LONGEST_KNOWN ? find() : knownFaults.getOrMake(template, find)).fault;
}

/**
 * The reason why `values` do not fit the schema, without applying its defaults and without naming the field: the
 * refusal of a change of a deployment. Undefined when they fit.
 */
export function plainJobVariableFault(baseJobTemplate: JsonText, values: JsonText): string | undefined {
  const schema = schemaIn(baseJobTemplate);
  if (!schema) return undefined;
  const refusal = validateParameters(jsonTextOf(schema), values, { ignoreRequired: true });
  return refusal?.message.replace(/^Validation failed.*?\. Failure reason: /s, '');
}

function schemaIn(baseJobTemplate: JsonText): JsonObject | undefined {
  const { variables } = parseObject(baseJobTemplate);
  return isJsonObject(variables) && isJsonObject(variables['properties']) ? variables : undefined;
}

function separateDefaults(schema: JsonObject) {
  const defaults: JsonObject = {};
  const optional = new Set<unknown>();
  const properties = Object.entries(schema['properties'] as JsonObject).map(([name, property]) => {
    if (!isJsonObject(property) || !('default' in property)) return [name, property];
    const { default: value, ...rest } = property;
    if (isBlockReference(value) || !fits(schema, name, rest, value)) optional.add(name);
    else defaults[name] = value;
    return [name, rest];
  });
  return { properties: Object.fromEntries(properties) as JsonObject, optional, defaults };
}

/** True when the default is the content of a block. The process that executes the run resolves it. */
function isBlockReference(value: unknown): boolean {
  return isJsonObject(value) && isJsonObject(value['$ref']);
}

function fits(schema: JsonObject, name: string, property: JsonObject, value: unknown): boolean {
  if (!mayRead(0)) return false;
  const needed = Array.isArray(schema['required']) && schema['required'].includes(name);
  const alone = { ...schema, properties: { [name]: property }, required: needed ? [name] : [] };
  return validateParameters(jsonTextOf(alone), jsonTextOf({ [name]: value })) === undefined;
}
