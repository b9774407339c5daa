/** The parts of a JSON Schema that decoders and encoders read. */
export interface SchemaNode {
  readonly $id?: string;
  readonly type?: string;
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  /** A list of schemas is typebox's form of a tuple. */
  readonly items?: SchemaNode | readonly SchemaNode[];
  readonly prefixItems?: readonly SchemaNode[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly discriminator?: { readonly propertyName: string };
  readonly default?: unknown;
  /** Returns the schema on first use, so that a shape may contain itself. */
  readonly '~lazy'?: () => SchemaNode;
}

export function isNull(schema: SchemaNode): boolean {
  return schema.type === 'null';
}

/** The positions of a tuple, undefined for any other schema. */
export function tupleItems(schema: SchemaNode): readonly SchemaNode[] | undefined {
  return schema.prefixItems ?? (isList(schema.items) ? schema.items : undefined);
}

/** The schema of every item of a list, undefined when the items may be anything. */
export function listItems(schema: SchemaNode): SchemaNode | undefined {
  return isList(schema.items) ? undefined : schema.items;
}

/** The schema of every value of a map, undefined when the values may be anything. */
export function mapValues(schema: SchemaNode): SchemaNode | undefined {
  const { additionalProperties, patternProperties } = schema;
  if (typeof additionalProperties === 'object') return additionalProperties;
  return patternProperties && Object.values(patternProperties)[0];
}

function isList(items: SchemaNode['items']): items is readonly SchemaNode[] {
  return Array.isArray(items);
}
