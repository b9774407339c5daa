/**
 * Parameters that say how to make them: an object with `__prefect_kind` stands for a value, at any depth.
 * Source: reference behaviour, "Hydration".
 */
import type { Db } from '../database/store.ts';
import {
  isJsonObject,
  JsonSyntaxError,
  type JsonText,
  jsonTextOf,
  keysInOrder,
  parseJson,
  parseObject,
} from '../json.ts';
import { Template } from '../templates/template.ts';
import { TemplateRuntimeError, TemplateSyntaxError } from '../templates/template-error.ts';
import { findVariable } from './variables/queries.ts';

/** What cannot be made; the message is for the user, without the prefix that says which parameters. */
export class HydrationError extends Error {}

const ABSENT = Symbol('absent');

/** `values` with every stand-in replaced. Throws HydrationError. */
export async function hydrate(db: Db, values: JsonText): Promise<JsonText> {
  if (!values.includes('__prefect_kind')) return values;
  const hydrated = await hydrateValue(db, parseObject(values));
  return jsonTextOf(hydrated === ABSENT || hydrated === null ? {} : hydrated);
}

async function hydrateValue(db: Db, value: unknown): Promise<unknown> {
  if (Array.isArray(value)) {
    const items = [];
    for (const item of value) {
      const hydrated = await hydrateValue(db, item);
      if (hydrated !== ABSENT) items.push(hydrated);
    }
    return items;
  }
  if (!isJsonObject(value)) return value;
  if ('__prefect_kind' in value) return makeValue(db, value);
  const entries: [string, unknown][] = [];
  for (const key of keysInOrder(value)) {
    const hydrated = await hydrateValue(db, value[key]);
    if (hydrated !== ABSENT) entries.push([key, hydrated]);
  }
  return Object.fromEntries(entries);
}

async function makeValue(db: Db, standIn: Record<string, unknown>): Promise<unknown> {
  switch (standIn['__prefect_kind']) {
    case 'none':
      if (!('value' in standIn)) throw new HydrationError("Missing 'value' key in __prefect object");
      return hydrateValue(db, standIn['value']);
    case 'json':
      return 'value' in standIn ? readJson(await hydrateValue(db, standIn['value'])) : ABSENT;
    case 'jinja':
      if (!('template' in standIn)) throw new HydrationError("Missing 'template' key in __prefect object");
      return renderTemplate(await hydrateValue(db, standIn['template']));
    case 'workspace_variable':
      return 'variable_name' in standIn ? readVariable(db, await hydrateValue(db, standIn['variable_name'])) : ABSENT;
    default:
      return standIn['value'] ?? null;
  }
}

function readJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new HydrationError(
      `Invalid JSON: ${error.reason}: line 1 column ${error.position + 1} (char ${error.position})`,
    );
  }
}

function renderTemplate(template: unknown): unknown {
  if (typeof template !== 'string') return template;
  try {
    return new Template(template).render();
  } catch (error) {
    if (error instanceof TemplateSyntaxError) throw new HydrationError(`Invalid jinja: ${error.message}`);
    if (error instanceof TemplateRuntimeError) throw new HydrationError(`Invalid jinja: ${error.describe()}`);
    throw error;
  }
}

async function readVariable(db: Db, name: unknown): Promise<unknown> {
  const variable = typeof name === 'string' ? await findVariable(db, { name }) : undefined;
  if (!variable) throw new HydrationError(`Variable '${String(name)}' not found in workspace.`);
  return parseJson(variable.value);
}
