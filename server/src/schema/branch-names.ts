/** What the branches of a union are called in the `loc` of an issue. Source: reference behaviour. */
import type { SchemaNode } from './decode.ts';
import { branchNameOf } from './kinds.ts';

export function branchNameFor(schema: SchemaNode): string {
  const given = branchNameOf(schema);
  if (given !== undefined) return given;
  if (schema['~lazy']) return branchNameFor(schema['~lazy']());
  if (schema.$id !== undefined) return schema.$id;
  if (schema.const !== undefined) return `literal[${printLiteral(schema.const)}]`;
  if (schema.enum) return `literal[${schema.enum.map(printLiteral).join()}]`;
  switch (schema.type) {
    case 'string':
      if (schema.format === 'uuid') return 'uuid';
      if (schema.format === 'date-time') return 'datetime';
      return schema.minLength === undefined && schema.maxLength === undefined && schema.pattern === undefined
        ? 'str'
        : 'constrained-str';
    case 'integer':
      return hasRange(schema) ? 'constrained-int' : 'int';
    case 'number':
      return hasRange(schema) ? 'constrained-float' : 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'none';
    case 'array': {
      const items = Array.isArray(schema.items) ? undefined : (schema.items as SchemaNode | undefined);
      return `${schema.uniqueItems ? 'set' : 'list'}[${items ? branchNameFor(items) : 'any'}]`;
    }
    case 'object': {
      const values = schema.additionalProperties;
      return `dict[str,${typeof values === 'object' ? branchNameFor(values) : 'any'}]`;
    }
    default:
      return schema.anyOf ? `union[${schema.anyOf.map(branchNameFor).join()}]` : 'any';
  }
}

function printLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function hasRange(schema: SchemaNode): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return (minimum ?? maximum ?? exclusiveMinimum ?? exclusiveMaximum) !== undefined;
}
