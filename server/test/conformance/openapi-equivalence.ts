/** Differences in wording that two OpenAPI documents may have, and our intended differences. */

import type { JsonSchema } from '../../src/http/documents/openapi.ts';
import { MAX_TAGS } from '../../src/orchestration/filters/field-schema.ts';
import { MAX_LIST_VALUES, MAX_PREFIXES, MAX_SEARCHES, MAX_VALUE_LENGTH } from '../../src/schema/value-list.ts';

/** Where our document differs from the reference's, and why. */
export const differences: Readonly<Record<string, string>> = {
  'FlowRunCreate.name': 'null is taken, by the reference too, and we say so',
  'TaskRunCreate.name': 'null is taken, by the reference too, and we say so',
  'TaskRunUpdate.name': 'null is taken, by the reference too, and we say so',
  'DeploymentFlowRunCreate.name': 'null is taken, by the reference too, and we say so',
  'RRuleSchedule.timezone': 'the reference lists the time zones of the machine it ran on as a pattern',
  'APISettings.ssl_cert_file': 'the default is a file of the machine it ran on',
};

/** The same for whole documents: answers of operations, and shapes that the reference names twice. */
export const documentDifferences: Readonly<Record<string, string>> = {
  ...differences,
  'Body_worker_heartbeat_work_pools__work_pool_name__workers_heartbeat_post.return_id':
    'workers of hosted servers ask for their id',
  'EventTrigger-Input.within': 'a default that is told in seconds, as answers have it',
  'RunDeployment-Input.schedule_after': 'the default is told, which the reference keeps to itself',
  'POST /concurrency_limits/.responses':
    'a limit that was made is answered with 201, by the reference too, and we say so',
  'POST /templates/validate.responses': 'a sound template is answered with 204, by the reference too, and we say so',
  'POST /automations/templates/validate.responses': 'the same',
};

/** Display names of things, and the environment variables of the reference's own settings. */
const ignored = new Set(['title', 'description', 'examples', 'supported_environment_variables']);

const ownBounds = new Set<unknown>([MAX_LIST_VALUES, MAX_PREFIXES, MAX_SEARCHES, MAX_VALUE_LENGTH, MAX_TAGS]);

/** One spelling for schemas of equal meaning. Keys below `properties` are names, even those spelled like a keyword. */
export function simplified(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplified);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([keyword]) => !ignored.has(keyword));
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of entries) {
    if (keyword === 'properties') {
      const properties = Object.entries(value as JsonSchema);
      result[keyword] = Object.fromEntries(properties.map(([name, property]) => [name, simplified(property)]));
    } else if (keyword === 'required') {
      if ((value as string[]).length > 0) result[keyword] = [...(value as string[])].sort();
    } else {
      result[keyword] = keyword === 'default' ? value : simplified(value);
    }
  }
  // The reference makes an empty list or object by a factory, and its document omits that default.
  if (isEmpty(result['default'])) delete result['default'];
  // The reference accepts lists and texts of any length, and fails on long ones.
  if (ownBounds.has(result['maxItems'])) delete result['maxItems'];
  if (ownBounds.has(result['maxLength'])) delete result['maxLength'];
  if (typeof result['$ref'] === 'string') result['$ref'] = oneName(result['$ref']);
  const branches = result['anyOf'] as JsonSchema[] | undefined;
  // The branch for objects is the same without it.
  if (branches && result['additionalProperties'] === true) delete result['additionalProperties'];
  if (branches && takesAnything(branches)) delete result['anyOf'];
  return result;
}

/** The reference names a shape twice where requests and answers differ in what they require. */
export function oneName(name: string): string {
  return name.replace(/-(Input|Output)$/, '');
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function takesAnything(branches: readonly JsonSchema[]): boolean {
  if (branches.some((branch) => Object.keys(branch).length === 0)) return true;
  const types = new Set(branches.filter(isWholeType).map((branch) => branch['type']));
  return ['string', 'number', 'boolean', 'object', 'array', 'null'].every((type) => types.has(type));
}

/** All texts, all numbers, all objects: the schema has only a type. */
function isWholeType(branch: JsonSchema): boolean {
  const { type, additionalProperties, items, ...more } = branch;
  const isOpen = additionalProperties === undefined || additionalProperties === true;
  return isOpen && Object.keys(items ?? {}).length === 0 && Object.keys(more).length === 0;
}
