/**
 * Parameters and run inputs may contain placeholders: objects with a `__prefect_kind`, replaced by their values on use.
 * Source: the Prefect server 3.9.1, with which server/test/reference compares.
 */

import type { Db } from '../../database/store.ts';
import { UnknownContent } from '../../json-schema/types.ts';
import { TemplateRuntimeError, TemplateSyntaxError } from '../../templates/syntax/template-error.ts';
import { DEFAULT_ALLOWANCE, type RenderOptions, Template } from '../../templates/template.ts';
import {
  isJsonObject,
  JsonSyntaxError,
  type JsonText,
  jsonTextOf,
  keysInOrder,
  parseJson,
  parseObject,
} from '../../values/json.ts';
import { pythonRepr } from '../../values/python-text.ts';
import { variables } from '../variables/queries.ts';

/** A placeholder has no value; the message tells the user the reason. */
export class HydrationError extends Error {}

/** Removes the entry, because its placeholder lacks the member with the value. */
const LEFT_OUT = Symbol('leftOut');

const KIND = '__prefect_kind';

/**
 * Replaces every placeholder of a JSON object, at any depth. It does not search the values for further placeholders.
 * `rendering` gives templates their variables, none by default. Throws HydrationError.
 */
export async function hydrate(db: Db, text: JsonText, rendering: RenderOptions = {}): Promise<JsonText> {
  if (!text.includes(KIND)) return text;
  const options = { allowance: { units: DEFAULT_ALLOWANCE }, ...rendering };
  const hydrated = await new Hydration(db, options).value(parseObject(text));
  if (hydrated === LEFT_OUT) return '{}' as JsonText;
  if (!isJsonObject(hydrated)) throw new HydrationError('The value must be an object');
  return jsonTextOf(hydrated);
}

/**
 * Like `hydrate`, for a form that the user is still editing. A placeholder without a value becomes unknown content with
 * the reason, and templates are parsed but not rendered.
 */
export async function hydrateForForm(db: Db, text: JsonText): Promise<unknown> {
  const values = parseObject(text);
  if (!text.includes(KIND)) return values;
  const hydrated = await new FormHydration(db, {}).value(values);
  return hydrated === LEFT_OUT ? {} : hydrated;
}

class Hydration {
  readonly #db: Db;
  readonly #rendering: RenderOptions;

  constructor(db: Db, rendering: RenderOptions) {
    this.#db = db;
    this.#rendering = rendering;
  }

  async value(value: unknown): Promise<unknown> {
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) {
        const hydrated = await this.value(item);
        if (hydrated !== LEFT_OUT) items.push(hydrated);
      }
      return items;
    }
    if (!isJsonObject(value)) return value;
    if (Object.hasOwn(value, KIND)) return this.placeholder(value);
    const members: [string, unknown][] = [];
    for (const key of keysInOrder(value)) {
      const hydrated = await this.value(value[key]);
      if (hydrated !== LEFT_OUT) members.push([key, hydrated]);
    }
    return Object.fromEntries(members);
  }

  protected async placeholder(placeholder: Record<string, unknown>): Promise<unknown> {
    switch (placeholder[KIND]) {
      case 'none':
        return this.value(required(placeholder, 'value'));
      case 'json':
        return this.#json(placeholder);
      case 'jinja':
        return this.#jinja(placeholder);
      case 'workspace_variable':
        return this.#variable(placeholder);
      default:
        return placeholder['value'] ?? null;
    }
  }

  /** The argument of a placeholder may be a placeholder. */
  #argument(value: unknown): unknown {
    return isJsonObject(value) ? this.value(value) : value;
  }

  async #json(placeholder: Record<string, unknown>): Promise<unknown> {
    if (!Object.hasOwn(placeholder, 'value')) return LEFT_OUT;
    const value = await this.#argument(placeholder['value']);
    if (typeof value !== 'string') return value;
    try {
      if (value.startsWith('\ufeff'))
        throw new JsonSyntaxError('Unexpected UTF-8 BOM (decode using utf-8-sig)', value, 0);
      return parseJson(value);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      throw new HydrationError(`Invalid JSON: ${inPython(error, value)}`);
    }
  }

  async #jinja(placeholder: Record<string, unknown>): Promise<unknown> {
    const template = await this.#argument(required(placeholder, 'template'));
    if (template instanceof UnknownContent) return template;
    // No expression begins in it. Source: the Prefect server 3.9.1.
    if (isJsonObject(template) || Array.isArray(template)) return template;
    if (typeof template !== 'string') throw new HydrationError('Invalid jinja: the template must be a string');
    try {
      return this.rendered(new Template(template));
    } catch (error) {
      if (error instanceof TemplateSyntaxError) throw new HydrationError(`Invalid jinja: ${error.message}`);
      if (!(error instanceof TemplateRuntimeError)) throw error;
      const reason = `Failed to render template due to the following error: ${error.describe()}`;
      throw new HydrationError(`Invalid jinja: ${reason}`);
    }
  }

  protected rendered(template: Template): unknown {
    return template.render(this.#rendering);
  }

  async #variable(placeholder: Record<string, unknown>): Promise<unknown> {
    if (!Object.hasOwn(placeholder, 'variable_name')) return LEFT_OUT;
    const given = await this.#argument(placeholder['variable_name']);
    if (given === LEFT_OUT || given instanceof UnknownContent) return given;
    const name = typeof given === 'string' ? given : pythonRepr(given);
    const variable = await variables.first(this.#db, { name });
    if (!variable) throw new HydrationError(`Variable '${name}' not found in workspace.`);
    return parseJson(variable.value);
  }
}

class FormHydration extends Hydration {
  protected override async placeholder(placeholder: Record<string, unknown>): Promise<unknown> {
    try {
      return await super.placeholder(placeholder);
    } catch (error) {
      if (!(error instanceof HydrationError)) throw error;
      return new UnknownContent(error.message);
    }
  }

  protected override rendered(): unknown {
    return new UnknownContent();
  }
}

function required(placeholder: Record<string, unknown>, key: string): unknown {
  if (!Object.hasOwn(placeholder, key)) throw new HydrationError(`Missing '${key}' key in __prefect object`);
  return placeholder[key];
}

/** For example, `Expecting value: line 1 column 4 (char 3)`. */
function inPython({ reason, position }: JsonSyntaxError, text: string): string {
  const before = Array.from(text).slice(0, position);
  const line = before.filter((character) => character === '\n').length + 1;
  const column = position - before.lastIndexOf('\n');
  return `${reason}: line ${line} column ${column} (char ${position})`;
}
