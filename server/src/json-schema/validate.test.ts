// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stepsOf } from '../../test/support/steps.ts';
import { secondsOf, timedTest } from '../../test/support/timed.ts';
import { parseJson } from '../values/json.ts';
import { floatRepr, pythonRepr } from '../values/python-text.ts';
import { bestMatch, fieldName } from './schema-error.ts';
import { metaSchemaFault, schemaErrors } from './validate.ts';

/** `field: message` of every error. */
function faults(schema: unknown, value: unknown, checkFormats = false): string[] {
  return schemaErrors(value, schema, { checkFormats }).map(({ path, message }) => `${fieldName(path)}: ${message}`);
}

// The messages are those of Python's jsonschema 4.26, recorded from it.
const refusals: readonly (readonly [schema: object, value: unknown, ...faults: string[]])[] = [
  [{ type: 'integer' }, 'a', ": 'a' is not of type 'integer'"],
  [{ type: ['integer', 'null'] }, true, ": True is not of type 'integer', 'null'"],
  [{ type: 'integer' }, 1.5, ": 1.5 is not of type 'integer'"],
  [{ enum: ['x', 1, null] }, 'y', ": 'y' is not one of ['x', 1, None]"],
  [{ const: { a: [1] } }, {}, ": {'a': [1]} was expected"],
  [{ const: 1 }, true, ': 1 was expected'],
  [{ minimum: 3 }, 1, ': 1 is less than the minimum of 3'],
  [{ maximum: 3 }, 4.5, ': 4.5 is greater than the maximum of 3'],
  [{ exclusiveMinimum: 3 }, 3, ': 3 is less than or equal to the minimum of 3'],
  [{ exclusiveMaximum: 3 }, 3, ': 3 is greater than or equal to the maximum of 3'],
  [{ multipleOf: 0.5 }, 1.3, ': 1.3 is not a multiple of 0.5'],
  [{ minLength: 3 }, 'é☂', ": 'é☂' is too short"],
  [{ minLength: 1 }, '', ": '' should be non-empty"],
  [{ maxLength: 1 }, '😀😀', ": '😀😀' is too long"],
  [{ maxLength: 0 }, 'a', ": 'a' is expected to be empty"],
  [{ minItems: 2 }, [1], ': [1] is too short'],
  [{ uniqueItems: true }, [1, true, 1], ': [1, True, 1] has non-unique elements'],
  [{ minProperties: 2 }, { a: 1 }, ": {'a': 1} does not have enough properties"],
  [{ pattern: '^x+$' }, "it's", ": \"it's\" does not match '^x+$'"],
  [{ required: ['a', 'b'] }, {}, ": 'a' is a required property", ": 'b' is a required property"],
  [
    { properties: { a: {} }, additionalProperties: false },
    { b: 1, c: 2 },
    ": Additional properties are not allowed ('b', 'c' were unexpected)",
  ],
  [
    { patternProperties: { '^x': {} }, additionalProperties: false },
    { b: 1 },
    ": 'b' does not match any of the regexes: '^x'",
  ],
  [{ additionalProperties: { type: 'string' } }, { a: 1 }, "a: 1 is not of type 'string'"],
  [
    { items: { type: 'integer' } },
    [1, 'x', 2.5],
    "$[1]: 'x' is not of type 'integer'",
    "$[2]: 2.5 is not of type 'integer'",
  ],
  [
    { prefixItems: [{ type: 'string' }], items: false },
    ['a', 1, 2],
    ': Expected at most 1 item but found 2 extra: [1, 2]',
  ],
  [{ contains: { type: 'string' } }, [1], ': [1] does not contain items matching the given schema'],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ": 'b' is a dependency of 'a'"],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, ": 'ab' is too long"],
  [{ not: { type: 'string' } }, 'a', ": 'a' should not be valid under {'type': 'string'}"],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'a', ": 'a' is not valid under any of the given schemas"],
  [
    { oneOf: [{ type: 'integer' }, { type: 'number' }] },
    1,
    ": 1 is valid under each of {'type': 'number'}, {'type': 'integer'}",
  ],
  [{ if: { type: 'integer' }, else: { const: 'a' } }, 'b', ": 'a' was expected"],
  [{ properties: { a: false } }, { a: 1 }, ': False schema does not allow 1'],
  [
    { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    { a: 1, b: 2 },
    ": Unevaluated properties are not allowed ('b' was unexpected)",
  ],
];

describe('a JSON Schema', () => {
  for (const [schema, value, ...expected] of refusals) {
    test(`${JSON.stringify(schema)} refuses ${JSON.stringify(value)}`, () => {
      assert.deepEqual(faults(schema, value), expected);
    });
  }

  test('compares numbers by value, not by spelling', () => {
    const values = parseJson('{"a":1.0,"b":12345678901234567890,"c":1e2}');
    assert.deepEqual(faults({ additionalProperties: { type: 'integer' } }, values), []);
    assert.deepEqual(faults({ const: 1 }, (values as Record<string, unknown>)['a']), []);
    assert.deepEqual(faults({ type: 'string' }, (values as Record<string, unknown>)['b']), [
      ": 12345678901234567890 is not of type 'string'",
    ]);
  });

  test('follows references by pointer, anchor and id, and fetches nothing', () => {
    const definitions = { A: { type: 'integer' }, B: { $anchor: 'b', type: 'null' }, C: { $id: 'c', type: 'array' } };
    const schema = {
      properties: {
        a: { $ref: '#/definitions/A' },
        b: { $ref: '#b' },
        c: { $ref: 'c' },
        d: { $ref: '#/x%20y/p~1q' },
      },
      definitions,
      'x y': { 'p/q': { type: 'boolean' } },
    };
    assert.deepEqual(faults(schema, { a: 'x', b: 'x', c: 'x', d: 'x' }), [
      "a: 'x' is not of type 'integer'",
      "b: 'x' is not of type 'null'",
      "c: 'x' is not of type 'array'",
      "d: 'x' is not of type 'boolean'",
    ]);
    assert.throws(() => faults({ $ref: '#/definitions/Z' }, 1), {
      message: "PointerToNowhere: '/definitions/Z' does not exist within {'$ref': '#/definitions/Z'}",
    });
    assert.throws(() => faults({ $ref: 'file:///etc/passwd' }, 1), { message: 'Unresolvable: file:///etc/passwd' });
  });

  test('may contain itself, but not at the same place', () => {
    const tree = { properties: { child: { $ref: '#' } }, additionalProperties: false };
    assert.deepEqual(faults(tree, { child: { child: { other: 1 } } }), [
      "child.child: Additional properties are not allowed ('other' was unexpected)",
    ]);
    for (const circular of [{ $ref: '#' }, { allOf: [{ anyOf: [{ $ref: '#' }] }] }]) {
      assert.throws(() => faults(circular, {}), { message: 'Unable to validate schema with circular references.' });
    }
  });

  test('is abandoned when its work doubles with each level', () => {
    const levels = Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/${level + 1}` };
      return [level, { allOf: [next, next] }];
    });
    const schema = { $ref: '#/$defs/0', $defs: { ...Object.fromEntries(levels), 40: {} } };
    assert.throws(() => faults(schema, 1), { message: 'The schema is too large to be applied.' });
  });

  test('with a catastrophic pattern is answered at once', () => {
    assert.equal(faults({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`).length, 1);
    assert.deepEqual(faults({ pattern: '^\\w+\\Z' }, 'ünï'), []);
    // A pattern that cannot be matched in linear time is not checked.
    assert.deepEqual(faults({ pattern: '(?=b)a' }, 'a'), []);
    assert.deepEqual(faults({ pattern: '(' }, 'a'), []);
  });

  describe('costs no more than a long list of numbers, however its parts multiply', () => {
    const range = <T>(count: number, item: (index: number) => T) =>
      Array.from({ length: count }, (_, index) => item(index));
    const keyed = <T>(count: number, item: (index: number) => readonly [string, T]) =>
      Object.fromEntries(range(count, item));
    const numbers = range(100_000, (index) => index);
    const validate = (schema: unknown, value: unknown) => {
      try {
        bestMatch(schemaErrors(value, schema))?.message;
      } catch (error) {
        assert.equal((error as Error).message, 'The schema is too large to be applied.');
      }
    };
    const validateNumbers = () => validate({ items: { type: 'integer' } }, numbers);
    const attacks: readonly (readonly [name: string, schema: unknown, value: unknown])[] = [
      [
        'patterns of keys',
        { patternProperties: keyed(1000, (n) => [`^k\\w+${n}$`, {}]) },
        keyed(1000, (n) => [`k${n}`, 1]),
      ],
      ['enum', { items: { enum: range(20_000, (n) => `y${n}`) } }, range(20_000, (n) => `x${n}`)],
      [
        'enum of objects',
        { items: { allOf: range(100, () => ({ enum: range(100, () => ({ a: numbers })) })) } },
        range(900, (n) => ({ a: n })),
      ],
      ['long patterns', { allOf: range(1000, (n) => ({ pattern: `((\\w{10}){10}){10}!${n}` })) }, 'aé1x'.repeat(200)],
      ['classes', { allOf: range(1000, (n) => ({ pattern: n + '\\w'.repeat(300) })) }, 'é'],
      ['required', { items: { required: range(10_000, (n) => `x${n}`) } }, range(10_000, () => ({}))],
      ['properties', { items: { properties: keyed(10_000, (n) => [`x${n}`, {}]) } }, range(10_000, () => ({ a: 1 }))],
      ['types', { items: { type: range(10_000, (n) => `x${n}`) } }, range(10_000, (n) => n)],
      [
        'unevaluated properties',
        { unevaluatedProperties: false, allOf: range(1000, () => ({ additionalProperties: true })) },
        keyed(10_000, (n) => [`k${n}`, 1]),
      ],
      ['unevaluated items', { unevaluatedItems: false, allOf: range(1000, () => ({ items: true })) }, numbers],
      ['unique items', { allOf: range(1000, () => ({ uniqueItems: true })) }, range(3000, (n) => [n])],
      ['branches', { items: { anyOf: range(3000, (n) => ({ const: -1 - n })) } }, range(3000, (n) => n)],
      ['long texts', { allOf: range(10_000, () => ({ minLength: 1 })) }, 'x'.repeat(400_000)],
      ['digits', { items: { allOf: range(3000, () => ({ multipleOf: 3 })) } }, parseJson(`[${'9'.repeat(4000)}]`)],
    ];

    test('in steps', async () => {
      const plain = await stepsOf(validateNumbers);
      for (const [name, schema, value] of attacks) {
        const ratio = (await stepsOf(() => validate(schema, value))) / plain;
        assert.ok(ratio < 20, `${name}: ${ratio.toFixed(0)} times as many steps as a list of numbers`);
      }
    });

    timedTest('in time, which patterns and long numbers take too', async () => {
      const plain = await secondsOf(validateNumbers);
      for (const [name, schema, value] of attacks) {
        const ratio = (await secondsOf(() => validate(schema, value))) / plain;
        // One of them took 43 seconds, over a thousand times as long.
        assert.ok(ratio < 60, `${name}: ${ratio.toFixed(0)} times as long as a list of numbers`);
      }
    });
  });

  test('compiles each pattern once, however many there are', () => {
    const patterns = Array.from({ length: 250 }, (_, index) => `^k${index}$`);
    const schema = { patternProperties: Object.fromEntries(patterns.map((pattern) => [pattern, { type: 'string' }])) };
    const value = Object.fromEntries(patterns.map((_, index) => [`k${index}`, 1]));
    assert.equal(faults(schema, value).length, 250);
  });

  test('computes exact remainders of long integers and of fractions', () => {
    const [whole, fraction] = parseJson('[10000000000000000000001, 1.50]') as [unknown, unknown];
    const factor = parseJson('10000000000000000000000');
    assert.equal(faults({ multipleOf: 2 }, whole).length, 1);
    assert.equal(faults({ multipleOf: factor }, fraction).length, 1);
  });

  test('checks formats only on request', () => {
    const schema = { items: { format: 'date' } };
    assert.deepEqual(faults(schema, ['2026-02-30']), []);
    assert.deepEqual(faults(schema, ['2026-02-28', '2026-02-30'], true), ["$[1]: '2026-02-30' is not a 'date'"]);
  });

  test('is validated against the schema of schemas', () => {
    assert.equal(metaSchemaFault({ type: 'object', properties: { a: { items: { type: 'integer' } } } }), undefined);
    assert.equal(metaSchemaFault({ type: 'zzz' }), "'zzz' is not valid under any of the given schemas");
    assert.equal(metaSchemaFault({ properties: { a: 5 } }), "5 is not of type 'object', 'boolean'");
    assert.equal(metaSchemaFault({ pattern: '(' }), "'(' is not a 'regex'");
  });
});

describe('the reported error', () => {
  const shown = (schema: unknown, value: unknown) => {
    const best = bestMatch(schemaErrors(value, schema));
    return best && `${fieldName(best.path)}: ${best.message}`;
  };

  test('is the one nearest to the root, and of equally near ones the last by name', () => {
    const schema = { properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['c'] };
    assert.equal(shown(schema, { a: 'x', b: 'y' }), ": 'c' is a required property");
    assert.equal(shown(schema, { a: 'x', b: 'y', c: 1 }), "b: 'y' is not of type 'integer'");
  });

  test('is, inside a union, that of the best matching branch', () => {
    const schema = { anyOf: [{ type: 'object', properties: { z: { type: 'integer' } } }, { type: 'null' }] };
    assert.equal(shown({ properties: { a: schema } }, { a: { z: 'q' } }), "a.z: 'q' is not of type 'integer'");
  });

  test('puts unusual keys in brackets', () => {
    assert.equal(fieldName(['a', 'my-key', 0, 'b_1']), "a['my-key'][0].b_1");
    assert.equal(fieldName(["it's"]), "$['it\\'s']");
  });
});

describe('a value as Python prints it', () => {
  test('quotes texts and escapes invisible characters', () => {
    assert.equal(pythonRepr(`it's`), `"it's"`);
    assert.equal(pythonRepr(`'"`), `'\\'"'`);
    assert.equal(pythonRepr('a\n\u00a0\u200b😀é'), `'a\\n\\xa0\\u200b😀é'`);
    assert.equal(pythonRepr({ a: [1, null, true, 'x'] }), "{'a': [1, None, True, 'x']}");
  });

  test('prints floats with an exponent where Python does', () => {
    const floats = [1, 0.0001, 0.00001, 1e15, 1e16, 1.5e300, -0, Number.POSITIVE_INFINITY];
    assert.deepEqual(floats.map(floatRepr), [
      '1.0',
      '0.0001',
      '1e-05',
      '1000000000000000.0',
      '1e+16',
      '1.5e+300',
      '-0.0',
      'inf',
    ]);
  });
});
