/** The rules of a pool's base job template. Source: `POST /work_pools/` of the Prefect server 3.9.1. */
import { isJsonObject, type JsonText, jsonTextOf, parseJson, parseObject } from '../../values/json.ts';
import { pythonRepr } from '../../values/python-text.ts';
import { parameterSchemaFault, validateParameters } from './parameter-schema.ts';

/** `{{ name }}`; a name may have dots, dashes, brackets and `$`. */
const PLACEHOLDER = /\{\{\s*([\w.\-[\]$]+)\s*\}\}/g;

/**
 * The fault of a template, undefined when it is valid. A valid template is empty, or has a configuration and a schema
 * of variables that declares every placeholder of the configuration.
 */
export function templateFault(text: JsonText): string | undefined {
  const template = parseJson(text);
  if (!isJsonObject(template) || Object.keys(template).length === 0) return undefined;
  const { job_configuration, variables } = template;
  if (isBlank(job_configuration) || isBlank(variables)) {
    return 'The `base_job_template` must contain both a `job_configuration` key and a `variables` key.';
  }
  const properties = isJsonObject(variables) ? variables['properties'] : undefined;
  const declared = new Set(isJsonObject(properties) ? Object.keys(properties) : []);
  const undeclared = [...placeholdersIn(job_configuration)].filter((name) => !declared.has(name));
  if (undeclared.length === 0) return undefined;
  return (
    'The variables specified in the job configuration template must be present as properties in the variables schema. ' +
    `Your job configuration uses the following undeclared variable(s): ${undeclared.join(' ,')}.`
  );
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !value || (isJsonObject(value) && Object.keys(value).length === 0);
}

/** The placeholders in texts at any depth, in document order. Keys do not count. */
function placeholdersIn(value: unknown, found = new Set<string>()): Set<string> {
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined || waiting.length > 0; next = waiting.pop()) {
    if (typeof next === 'string') {
      for (const [, name] of next.matchAll(PLACEHOLDER)) found.add(name!);
    } else if (Array.isArray(next)) waiting.push(...next.toReversed());
    else if (isJsonObject(next)) waiting.push(...Object.values(next).reverse());
  }
  return found;
}

/** The contents of block documents, without their secrets, by the id that a default names. */
type BlockContents = ReadonlyMap<unknown, unknown>;

/** The ids of the block documents that are defaults of variables, unchanged. */
export function blocksOfTemplate(text: JsonText): unknown[] {
  const { variables } = parseObject(text);
  const properties = isJsonObject(variables) ? variables['properties'] : undefined;
  if (!isJsonObject(properties)) return [];
  return Object.values(properties).flatMap((property) => {
    const id = isJsonObject(property) ? blockNamedBy(property['default']) : undefined;
    return id === undefined ? [] : [id];
  });
}

/** The id in `{"$ref": {"block_document_id": …}}`. Undefined for a default that does not refer to a block. */
function blockNamedBy(value: unknown): unknown {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  return isJsonObject(reference) ? (reference['block_document_id'] ?? undefined) : undefined;
}

/**
 * The reason why the defaults of the variables do not fit their schema, or why the schema is invalid; undefined when
 * they fit. `contents` contains all block documents that `blocksOfTemplate` returns.
 */
export function templateDefaultsFault(text: JsonText, contents: BlockContents): string | undefined {
  const { variables } = parseObject(text);
  if (variables === undefined) return undefined;
  if (!isJsonObject(variables)) return `Invalid schema: ${pythonRepr(variables)} is not of type 'object', 'boolean'`;
  const { schema, defaults } = takeDefaults(variables, contents);
  const fault = parameterSchemaFault(jsonTextOf(schema));
  if (fault) return `Invalid schema: ${fault}`;
  const refusal = validateParameters(jsonTextOf(schema), jsonTextOf(defaults), { ignoreRequired: true });
  if (!refusal) return undefined;
  return refusal.kind === 'schema'
    ? refusal.message
    : `Validation failed for work pool's job variable defaults: ${refusal.message}`;
}

function takeDefaults(schema: Record<string, unknown>, contents: BlockContents) {
  const defaults: Record<string, unknown> = {};
  const { properties } = schema;
  if (!isJsonObject(properties)) return { schema, defaults };
  const bare = Object.entries(properties).map(([name, property]) => {
    if (!isJsonObject(property) || !('default' in property)) return [name, property];
    const { default: value, ...rest } = property;
    const block = blockNamedBy(value);
    if (block !== undefined) defaults[name] = contents.get(block);
    else if (!isJsonObject(value) || !isJsonObject(value['$ref'])) defaults[name] = value;
    return [name, rest];
  });
  return { schema: { ...schema, properties: Object.fromEntries(bare) }, defaults };
}
