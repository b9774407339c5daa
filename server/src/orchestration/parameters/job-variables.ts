/** Job variables of deployments and runs against the schema in their pool's template. */
import { Unprocessable } from '../../errors.ts';
import { isJsonObject, type JsonText, jsonTextOf, parseObject } from '../../json.ts';
import { type ParameterRefusal, parameterSchemaFault, validateParameters } from './parameter-schema.ts';

type JsonObject = Record<string, unknown>;

/**
 * Why `values` do not fit the template; undefined when they do. The template itself is at fault where its schema is none,
 * whatever the values. Defaults of the template stand in for what is missing; one that does not fit its own schema counts
 * for nothing, and its variable may then be missing. `required: false`: any may be missing, because a run can still give
 * them.
 * Source: reference behaviour, "Deployments", Base job template.
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

/** The job variables of a deployment, and the template of its pool; null where it has no pool. */
export interface DeployedJobVariables {
  readonly base_job_template: JsonText | null;
  readonly job_variables: JsonText;
}

/**
 * Why the job variables of a run do not fit the pool of its deployment: the deployment's overlaid by its own. Undefined
 * when they do, or when there is no pool.
 */
export function runJobVariableFault(
  { base_job_template: template, job_variables }: DeployedJobVariables,
  own: JsonText | null | undefined,
): ParameterRefusal | undefined {
  if (template === null) return undefined;
  const values = own ? jsonTextOf({ ...parseObject(job_variables), ...parseObject(own) }) : job_variables;
  return jobVariableFault(template, values, { required: true });
}

/** Throws Unprocessable for what is refused; a schema that is none is told without the `beginning`. */
export function requireFit(refusal: ParameterRefusal | undefined, beginning: string): void {
  if (refusal) throw new Unprocessable(refusal.kind === 'schema' ? refusal.message : beginning + refusal.message);
}

/** What is wrong with the schemas of the templates that were asked for last: a pool's stays the same for many runs. */
const knownFaults = new Map<JsonText, string | undefined>();
const MOST_KNOWN = 50;
/** A longer template is looked at each time, so that what is kept stays small. */
const LONGEST_KNOWN = 100_000;

function schemaFaultIn(template: JsonText, schema: JsonObject): string | undefined {
  if (knownFaults.has(template)) return knownFaults.get(template);
  const fault = parameterSchemaFault(jsonTextOf(schema));
  if (template.length > LONGEST_KNOWN) return fault;
  const [oldest] = knownFaults.keys();
  if (oldest !== undefined && knownFaults.size >= MOST_KNOWN) knownFaults.delete(oldest);
  knownFaults.set(template, fault);
  return fault;
}

/**
 * What the schema as it stands says to `values`, without its defaults and without the place: how a change of a
 * deployment is refused. Undefined when nothing.
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

/** The content of the block is the default then; it is looked up where a run is carried out. */
function isBlockReference(value: unknown): boolean {
  return isJsonObject(value) && isJsonObject(value['$ref']);
}

function fits(schema: JsonObject, name: string, property: JsonObject, value: unknown): boolean {
  const needed = Array.isArray(schema['required']) && schema['required'].includes(name);
  const alone = { ...schema, properties: { [name]: property }, required: needed ? [name] : [] };
  return validateParameters(jsonTextOf(alone), jsonTextOf({ [name]: value })) === undefined;
}
