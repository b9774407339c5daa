/** A parameter schema with every kind of field, as the Prefect client 3.9.1 writes it for a flow's signature. */
export const everyKind = {
  title: 'Parameters',
  type: 'object',
  required: ['name'],
  properties: {
    count: { default: 3, position: 1, title: 'count', type: 'integer', minimum: 1 },
    name: { position: 0, title: 'name', type: 'string', description: 'Shown in the report.' },
    on: { default: false, position: 2, title: 'on', type: 'boolean' },
    color: { $ref: '#/definitions/Color', default: 'red', position: 3, title: 'color' },
    when: { default: null, format: 'date-time', position: 4, title: 'when', type: 'string' },
    wait: { default: 'PT30S', format: 'duration', position: 5, title: 'wait', type: 'string' },
    password: { default: null, format: 'password', position: 6, title: 'password', type: 'string', writeOnly: true },
    address: {
      anyOf: [{ $ref: '#/definitions/Address' }, { type: 'null' }],
      default: null,
      position: 7,
      title: 'address',
    },
    regions: { default: ['eu'], items: { type: 'string' }, position: 8, title: 'regions', type: 'array' },
    free: { default: null, position: 9, title: 'free' },
    key: {
      anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }],
      default: null,
      position: 10,
      title: 'key',
    },
    credentials: { $ref: '#/definitions/Secret', default: null, position: 11, title: 'credentials' },
    tree: { $ref: '#/definitions/Tree', default: null, position: 12, title: 'tree' },
  },
  definitions: {
    Color: { enum: ['red', 'blue'], title: 'Color', type: 'string' },
    Address: {
      title: 'Address',
      type: 'object',
      required: ['street'],
      properties: {
        street: { title: 'Street', type: 'string' },
        zip: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'Zip' },
      },
    },
    Secret: {
      title: 'Secret',
      type: 'object',
      block_type_slug: 'secret',
      block_schema_references: {},
      properties: { value: { title: 'Value' } },
      required: ['value'],
    },
    Tree: {
      title: 'Tree',
      type: 'object',
      properties: { kids: { default: [], items: { $ref: '#/definitions/Tree' }, title: 'Kids', type: 'array' } },
    },
  },
};
