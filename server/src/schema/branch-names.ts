/** Names of the branches of a union in the `loc` of an issue. Source: Pydantic's answers, as decode.test.ts shows. */
import { branchNameOf } from './kinds.ts';
import { isNull, listItems, mapValues, type SchemaNode, tupleItems } from './schema-node.ts';

export function branchNameFor(schema: SchemaNode): string {
  const given = branchNameOf(schema);
  if (given !== undefined) return given;
  if (schema['~lazy']) return branchNameFor(schema['~lazy']());
  if (schema.$id !== undefined) return schema.enum ? `str-enum[${schema.$id}]` : schema.$id;
  if (schema.const !== undefined) return `literal[${printLiteral(schema.const)}]`;
  if (schema.enum) return `literal[${schema.enum.map(printLiteral).join()}]`;
  switch (schema.type) {
    case 'string':
      if (schema.format === 'uuid') return 'uuid';
      if (schema.format === 'date-time') return 'datetime';
      if (schema.format === 'duration') return 'timedelta';
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
      const tuple = tupleItems(schema);
      if (tuple) return `tuple[${tuple.map(branchNameFor).join(', ')}]`;
      return `${schema.uniqueItems ? 'set' : 'list'}[${nameOrAny(listItems(schema))}]`;
    }
    case 'object':
      return `dict[str,${nameOrAny(mapValues(schema))}]`;
    default:
      return schema.anyOf ? unionName(schema.anyOf) : 'any';
  }
}

function nameOrAny(schema: SchemaNode | undefined): string {
  return schema ? branchNameFor(schema) : 'any';
}

function unionName(all: readonly SchemaNode[]): string {
  const names = all.filter((branch) => !isNull(branch)).map(branchNameFor);
  const name = names.length === 1 ? names.join() : `union[${names.join()}]`;
  return names.length === all.length ? name : `nullable[${name}]`;
}

function printLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function hasRange(schema: SchemaNode): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return (minimum ?? maximum ?? exclusiveMinimum ?? exclusiveMaximum) !== undefined;
}
