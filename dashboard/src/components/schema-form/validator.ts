/** Checks values against a schema without compiling code, which the content policy forbids. */
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { RJSFSchema, ValidatorType } from '@rjsf/utils';
import type { FieldProblem } from '../../api/problem.ts';
import { type FormValues, objectOf } from './form-schema.ts';

const DRAFT = '7';

function errorsOf(schema: unknown, value: unknown): readonly OutputUnit[] {
  try {
    return new Validator(schema as Schema, DRAFT, false).validate(value ?? null).errors;
  } catch {
    // The server explains why a schema cannot be applied.
    return [];
  }
}

/** The form uses it to find the matching branch of a union; `problemsOf` lists the problems. */
export const validator: ValidatorType<FormValues> = {
  isValid: (schema, value) => value !== undefined && errorsOf(schema, value).length === 0,
  rawValidation: () => ({ errors: [] }),
  validateFormData: () => ({ errors: [], errorSchema: {} }),
};

/** Keywords whose problems repeat a problem of an inner part. */
const outer: ReadonlySet<string> = new Set(['properties', 'items', 'additionalProperties', '$ref', 'allOf', 'if']);

/** One problem for each field, the innermost. */
export function problemsOf(schema: RJSFSchema, values: FormValues): FieldProblem[] {
  const found = new Map<string, FieldProblem>();
  const unions: string[] = [];
  for (const error of errorsOf(schema, values)) {
    const { keyword, instanceLocation } = error;
    if (outer.has(keyword)) continue;
    const path = pathOf(instanceLocation);
    if (keyword === 'anyOf' || keyword === 'oneOf') unions.push(instanceLocation);
    if (keyword === 'required') {
      const name = /"([^"]*)"\.?$/.exec(error.error)?.[1];
      if (name !== undefined)
        found.set(`${instanceLocation}/${name}`, { path: [...path, name], message: 'A value is needed.' });
      continue;
    }
    const message = sentenceOf(error, schema, path);
    if (!found.has(instanceLocation)) found.set(instanceLocation, { path, message });
  }
  // Problems of the branches of a union are omitted; only the union's own is shown.
  return [...found].flatMap(([location, problem]) =>
    unions.some((union) => location.startsWith(`${union}/`)) ? [] : [problem],
  );
}

function pathOf(location: string): string[] {
  return location
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function sentenceOf({ keyword, error }: OutputUnit, schema: RJSFSchema, path: readonly string[]): string {
  const node = schemaAt(schema, path);
  switch (keyword) {
    case 'type': {
      const types = [node['type']]
        .flat()
        .filter((one) => one !== 'null')
        .map(String);
      return `This must be ${types.map((type) => kinds[type] ?? `of type ${type}`).join(' or ')}.`;
    }
    case 'enum':
      return 'This is not one of the choices.';
    case 'anyOf':
    case 'oneOf':
      return 'This fits none of the types that are allowed here.';
    case 'format':
      return `This is not written as a ${String(node['format'])}.`;
    case 'minimum':
      return `This must be at least ${String(node['minimum'])}.`;
    case 'exclusiveMinimum':
      return `This must be more than ${String(node['exclusiveMinimum'])}.`;
    case 'maximum':
      return `This must be at most ${String(node['maximum'])}.`;
    case 'exclusiveMaximum':
      return `This must be less than ${String(node['exclusiveMaximum'])}.`;
    default:
      return error;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function schemaAt(schema: RJSFSchema, path: readonly string[]): Readonly<Record<string, unknown>> {
  return path.reduce<Readonly<Record<string, unknown>>>((node, part) => {
    const next = objectOf(node['properties'])[part] ?? node['items'];
    return objectOf(next);
  }, schema);
}
