/** Checks the templates of an action before it is stored. Source of the messages: the Prefect server 3.9.1. */

import { TemplateSyntaxError } from '../../templates/syntax/template-error.ts';
import { isTemplate, Template } from '../../templates/template.ts';
import { isJsonObject, type JsonText, jsonTextOf, keysInOrder, parseObject } from '../../values/json.ts';

/** The fault of the template; undefined when it has none. */
export function templateFault(text: string): string | undefined {
  try {
    new Template(text);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return error.message;
    throw error;
  }
}

/** Checks parameters that are templates or placeholders for one. Returns one line for each that has a fault. */
export function parametersFault(parameters: JsonText): string | undefined {
  const given = parseObject(parameters);
  const faults = keysInOrder(given).flatMap((name) => {
    const text = templateOf(given[name]);
    const fault = text === undefined ? undefined : templateFault(text);
    return fault === undefined ? [] : [`${name}: Invalid jinja: ${fault}`];
  });
  return faults.length === 0 ? undefined : `Invalid parameters: \n${faults.join('\n')}`;
}

function templateOf(value: unknown): string | undefined {
  if (typeof value === 'string') return isTemplate(value) ? value : undefined;
  if (!isJsonObject(value) || value['__prefect_kind'] !== 'jinja') return undefined;
  return typeof value['template'] === 'string' ? value['template'] : undefined;
}

/** Like Python's `json.dumps(value, indent=2)`, but without escapes of letters. */
export function indentedJson(value: unknown, margin = '\n'): string {
  const inner = `${margin}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[${inner}${value.map((item) => indentedJson(item, inner)).join(`,${inner}`)}${margin}]`;
  }
  if (!isJsonObject(value)) return jsonTextOf(value);
  const keys = keysInOrder(value);
  if (keys.length === 0) return '{}';
  const members = keys.map((key) => `${JSON.stringify(key)}: ${indentedJson(value[key], inner)}`);
  return `{${inner}${members.join(`,${inner}`)}${margin}}`;
}
