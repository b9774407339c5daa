import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { everyKind } from '../../../test/every-kind.ts';
import { formSchemaOf, isOnlyJson, type JsonSchema, NAMELESS } from './form-schema.ts';

type Node = Readonly<Record<string, unknown>>;

/** The field that the form draws for a property of this schema. */
function fieldOf(property: JsonSchema, definitions: JsonSchema = {}): { readonly schema: Node; readonly ui: Node } {
  const { schema, ui } = formSchemaOf({ properties: { field: property }, definitions });
  return { schema: schema.properties?.['field'] as Node, ui: ui['field'] as Node };
}

const isJson = ({ ui }: { readonly ui: Node }) => ui['ui:field'] === 'json';

describe('the form of a schema', () => {
  test('without parameters has no field', () => {
    for (const source of [{}, { properties: {} }, { type: 'object' }, { properties: 'nonsense' }]) {
      const { schema, ui, optional } = formSchemaOf(source);
      assert.deepEqual([Object.keys(schema.properties ?? {}), ui['field'], optional.size], [[], undefined, 0]);
    }
  });

  test('has its fields in the order of the parameters', () => {
    const properties = { c: {}, b: { position: 1 }, a: { position: 0 }, d: {} };
    assert.deepEqual(Object.keys(formSchemaOf({ properties }).schema.properties ?? {}), ['a', 'b', 'c', 'd']);
  });

  test('has a field of its own kind for each kind of parameter', () => {
    const { schema, ui } = formSchemaOf(everyKind);
    const properties = (schema.properties ?? {}) as Readonly<Record<string, Node>>;
    const kindOf = (name: string) => {
      const { type, anyOf } = properties[name] ?? {};
      const drawn = ui[name] as Node;
      return (
        drawn['ui:field'] ??
        drawn['ui:widget'] ??
        (anyOf ? (anyOf as Node[]).map(({ title }) => title).join('|') : type)
      );
    };
    assert.deepEqual(
      Object.keys(properties).map((name) => `${name}: ${kindOf(name)}`),
      [
        'name: string',
        'count: integer',
        'on: boolean',
        'color: choice',
        'when: string',
        'wait: string',
        'password: string',
        'address: None|Address',
        'regions: array',
        'free: json',
        'key: None|integer|string',
        'credentials: block',
        'tree: None|Tree',
      ],
    );
    assert.deepEqual(schema.required, ['name']);
  });

  test('knows the fields whose null says no more than their absence', () => {
    const properties = {
      a: { type: 'string', default: null },
      b: { type: 'string' },
      c: { type: 'string', default: '' },
    };
    assert.deepEqual([...formSchemaOf({ properties }).optional], ['a']);
  });

  test('has no title of its own', () => {
    const { schema } = formSchemaOf({ title: 'Parameters', description: 'Of a flow', properties: {} });
    assert.deepEqual([schema.title, schema.description], [undefined, undefined]);
  });
});

describe('a field', () => {
  test('keeps its title, description, default and bounds', () => {
    const count = { title: 'count', description: 'How many', default: 3, type: 'integer', minimum: 1, maximum: 9 };
    assert.deepEqual(fieldOf(count).schema, count);
  });

  test('that may be null is a field of its type, and not a choice of two types', () => {
    const { schema, ui } = fieldOf({
      anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }],
      default: null,
      title: 'limit',
    });
    assert.deepEqual(schema['type'], ['integer', 'null']);
    assert.equal(schema['minimum'], 1);
    assert.equal(schema['title'], 'limit');
    assert.equal('default' in schema, false);
    assert.equal(ui['ui:emptyValue'], undefined);
  });

  test('that is emptied is null where its default is something else', () => {
    const { ui } = fieldOf({ anyOf: [{ type: 'integer' }, { type: 'null' }], default: 5 });
    assert.equal(ui['ui:emptyValue'], null);
    assert.equal(fieldOf({ type: 'integer', default: 5 }).ui['ui:emptyValue'], undefined);
  });

  test('of an enumeration offers its values, and none where it may be null', () => {
    assert.deepEqual(fieldOf({ enum: ['red', 'blue'] }).schema['enum'], ['red', 'blue']);
    assert.deepEqual(fieldOf({ enum: [1, null, 2] }).schema['enum'], [1, 2, null]);
    assert.equal(fieldOf({ enum: ['red'] }).ui['ui:widget'], 'choice');
  });

  test('of a type that is defined elsewhere has what the definition says, and its own default', () => {
    const definitions = {
      Color: { enum: ['red', 'blue'], title: 'Color', type: 'string' },
      'a/b~c': { type: 'integer' },
    };
    const { schema } = fieldOf({ $ref: '#/definitions/Color', default: 'blue', title: 'color' }, definitions);
    assert.deepEqual(schema, { enum: ['red', 'blue'], title: 'color', description: undefined, default: 'blue' });
    assert.equal(fieldOf({ allOf: [{ $ref: '#/definitions/Color' }] }, definitions).schema['title'], 'Color');
    assert.equal(fieldOf({ $ref: '#/definitions/a~1b~0c' }, definitions).schema['type'], 'integer');
  });

  test('of an object that may be absent has fields once its type is chosen', () => {
    const Address = { type: 'object', required: ['street'], properties: { street: { type: 'string' } } };
    const { schema } = fieldOf(
      { anyOf: [{ $ref: '#/definitions/Address' }, { type: 'null' }], default: null },
      { Address },
    );
    const [none, address] = schema['anyOf'] as Node[];
    assert.deepEqual(none, { type: 'null', title: 'None' });
    assert.equal(address?.['title'], 'Address');
    assert.deepEqual(address?.['required'], ['street']);
  });

  test('of an object that must be there has its fields at once', () => {
    const { schema } = fieldOf({ type: 'object', properties: { street: { type: 'string' } } });
    assert.equal(schema['type'], 'object');
    assert.equal(schema['anyOf'], undefined);
  });

  test('of a list has its items, without names of their own', () => {
    const { schema, ui } = fieldOf({
      type: 'array',
      items: { type: 'integer' },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    });
    assert.deepEqual([schema['minItems'], schema['maxItems'], 'uniqueItems' in schema], [1, 3, false]);
    const { items } = ui as { items: { 'ui:options': Node } };
    assert.equal(items['ui:options']['layout'], NAMELESS);
  });

  test('of a block offers the documents of its type', () => {
    const Secret = { type: 'object', block_type_slug: 'secret', properties: { value: {} } };
    const { schema, ui } = fieldOf({ $ref: '#/definitions/Secret' }, { Secret });
    assert.deepEqual([ui['ui:field'], ui['ui:options']], ['block', { slug: 'secret' }]);
    assert.deepEqual(schema['type'], ['object', 'null']);
  });

  test('is edited as JSON where no other field can hold its values', () => {
    const free: readonly JsonSchema[] = [
      {},
      { type: 'object' },
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'array' },
      { type: 'array', items: {} },
      { type: 'array', items: [{ type: 'string' }] },
      { type: ['string', 'integer'] },
      { type: 'invented' },
      { anyOf: [{ type: 'integer' }, {}] },
      { allOf: [{ type: 'string' }, { minLength: 1 }] },
    ];
    for (const property of free) assert.ok(isJson(fieldOf(property)), JSON.stringify(property));
  });

  test('is edited as JSON where its schema is none, or points to nothing', () => {
    const odd: readonly unknown[] = [
      null,
      7,
      'text',
      true,
      [],
      { $ref: '#/definitions/Missing' },
      { $ref: 'https://example.org/x' },
    ];
    for (const property of odd) assert.ok(isJson(fieldOf(property as JsonSchema)), JSON.stringify(property));
  });
});

describe('a schema that does not end', () => {
  test('draws a type that contains itself down to where it repeats, and edits the rest as JSON', () => {
    const Tree = { type: 'object', properties: { name: { type: 'string' }, kid: { $ref: '#/definitions/Tree' } } };
    const { schema, ui } = fieldOf({ $ref: '#/definitions/Tree' }, { Tree });
    assert.deepEqual(Object.keys(schema['properties'] as Node), ['name', 'kid']);
    assert.equal((ui['kid'] as Node)['ui:field'], 'json');
  });

  test('edits a reference to itself as JSON', () => {
    assert.ok(isJson(fieldOf({ $ref: '#/definitions/Self' }, { Self: { $ref: '#/definitions/Self' } })));
    assert.ok(isJson(fieldOf({ $ref: '#' })));
  });

  test('is edited as JSON where its definitions multiply', () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 20 }, (_, level) => {
        const next = level < 19 ? { $ref: `#/definitions/L${level + 1}` } : { type: 'string' };
        return [`L${level}`, { type: 'object', properties: { left: next, right: next } }];
      }),
    );
    assert.ok(isJson(fieldOf({ $ref: '#/definitions/L0' }, definitions)));
    // The same type where it is small enough, beside it.
    assert.equal(fieldOf({ $ref: '#/definitions/L17' }, definitions).schema['type'], 'object');
  });
});

describe('the form of a schema that others made large', () => {
  const text = { type: 'string' };
  const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, n) => item(n));
  const named = (count: number, item: object) => Object.fromEntries(many(count, (n) => [`p${n}`, item]));
  const nested = (depth: number): object =>
    depth === 0 ? text : { type: 'object', properties: { a: nested(depth - 1) } };
  const chosen = (depth: number): object => (depth === 0 ? text : { anyOf: many(3, () => chosen(depth - 1)) });

  test('edits as JSON each parameter that costs too much to draw, and draws the others', () => {
    const large: Readonly<Record<string, object>> = {
      union: { anyOf: many(1990, (n) => ({ type: 'object', properties: { [`p${n}`]: text } })) },
      'nested unions': chosen(4),
      choices: { enum: many(20_000, String) },
      fields: { type: 'object', properties: named(2000, text) },
      depth: nested(60),
    };
    for (const [name, property] of Object.entries(large)) {
      const { schema, ui, isTooLarge } = formSchemaOf({ properties: { large: property, small: text } });
      assert.equal((ui['large'] as Node)['ui:field'], 'json', name);
      assert.deepEqual([Object.keys(schema.properties ?? {}), isTooLarge], [['large', 'small'], false]);
    }
  });

  test('edits as JSON all parameters together where there are too many', () => {
    for (const property of [text, {}, { enum: many(1000, String) }]) {
      const form = formSchemaOf({ properties: named(1000, property) });
      assert.equal(form.isTooLarge, true);
      assert.ok(isOnlyJson(form, {}));
    }
  });

  test('edits as JSON values that have more items than a page can draw, and lists that begin with as many', () => {
    const list = { type: 'array', items: { type: 'object', properties: { a: text, b: text } } };
    const form = formSchemaOf({ properties: { list, name: text } });
    assert.equal(isOnlyJson(form, { list: many(20, () => ({})) }), false);
    assert.equal(isOnlyJson(form, { list: many(1000, () => ({})) }), true);
    assert.equal(isOnlyJson(form, { name: many(1000, () => 1) }), false);
    const isLarge = (more: object) => isOnlyJson(formSchemaOf({ properties: { list: { ...list, ...more } } }), {});
    assert.deepEqual([isLarge({ minItems: 1e9 }), isLarge({ default: many(1000, () => ({})) })], [true, true]);
  });

  test('checks nothing with an expression that others wrote', () => {
    const { schema } = fieldOf({
      ...{ type: 'string', maxLength: 9, format: 'uri', pattern: '^(a+)+$', not: { pattern: 'x' } },
      ...{ patternProperties: { '^(a+)+$': {} }, propertyNames: { pattern: '^(a+)+$' }, if: {} },
    });
    assert.deepEqual(Object.keys(schema).toSorted(), ['description', 'maxLength', 'title', 'type']);
    assert.doesNotMatch(
      JSON.stringify(formSchemaOf({ properties: { a: { anyOf: [schema, { type: 'integer' }] } } })),
      /a\+/,
    );
  });
});
