import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { everyKind } from '../../../test/every-kind.ts';
import { formSchemaOf, type JsonSchema } from './form-schema.ts';
import { problemsOf, validator } from './validator.ts';

const form = (properties: object, more: JsonSchema = {}) => formSchemaOf({ properties, ...more }).schema;
const messageOf = (property: object, value: unknown) =>
  problemsOf(form({ field: property }), { field: value })[0]?.message;

describe('the problems of a form', () => {
  test('do not exist while each value fits', () => {
    assert.deepEqual(
      problemsOf(formSchemaOf(everyKind).schema, { name: 'x', count: 1, regions: ['eu'], key: 'a' }),
      [],
    );
    assert.deepEqual(problemsOf(form({}), {}), []);
  });

  test('name each field that needs a value', () => {
    const schema = form({ name: { type: 'string' }, count: { type: 'integer' } }, { required: ['name', 'count'] });
    assert.deepEqual(problemsOf(schema, {}), [
      { path: ['name'], message: 'A value is needed.' },
      { path: ['count'], message: 'A value is needed.' },
    ]);
  });

  test('say in plain words what is wrong', () => {
    const cases: readonly (readonly [object, unknown, string])[] = [
      [{ type: 'integer' }, 'many', 'This must be a whole number.'],
      [{ type: 'integer' }, 1.5, 'This must be a whole number.'],
      [{ type: 'number' }, 'x', 'This must be a number.'],
      [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'x', 'This must be a whole number.'],
      [{ type: 'string' }, 7, 'This must be text.'],
      [{ type: 'boolean' }, 'yes', 'This must be true or false.'],
      [{ type: 'array', items: { type: 'string' } }, 'x', 'This must be a list.'],
      [{ enum: ['red', 'blue'] }, 'green', 'This is not one of the choices.'],
      [{ type: 'integer', minimum: 1 }, 0, 'This must be at least 1.'],
      [{ type: 'integer', maximum: 9 }, 10, 'This must be at most 9.'],
      [{ type: 'number', exclusiveMinimum: 0 }, 0, 'This must be more than 0.'],
      [{ type: 'number', exclusiveMaximum: 1 }, 1, 'This must be less than 1.'],
      [{ type: 'string', format: 'date-time' }, 'soon', 'This is not written as a date-time.'],
      [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, [], 'This fits none of the types that are allowed here.'],
    ];
    for (const [property, value, message] of cases) assert.equal(messageOf(property, value), message);
  });

  test('stand at the innermost field, once for each', () => {
    const address = { type: 'object', required: ['street'], properties: { street: { type: 'string', minLength: 3 } } };
    const schema = form({ places: { type: 'array', items: address } });
    const found = problemsOf(schema, { places: [{ street: 'Main Street' }, {}, { street: 7 }] });
    assert.deepEqual(
      found.map(({ path }) => path.join('.')),
      ['places.1.street', 'places.2.street'],
    );
  });

  test('of a union are one, and not those of each branch', () => {
    const schema = formSchemaOf(everyKind).schema;
    const found = problemsOf(schema, { name: 'x', address: { zip: 'no number' } });
    assert.deepEqual(found, [{ path: ['address'], message: 'This fits none of the types that are allowed here.' }]);
  });

  test('find fields with odd names', () => {
    for (const name of ['100%', 'a/b', 'a~b', 'ü', 'a b', '%23', '#']) {
      assert.deepEqual(problemsOf(form({ [name]: { type: 'integer' } }), { [name]: 'x' }), [
        { path: [name], message: 'This must be a whole number.' },
      ]);
    }
  });

  test('are left to the server where the schema itself cannot be applied', () => {
    assert.deepEqual(problemsOf(form({ field: { type: 'string', pattern: '(' } }), { field: 'x' }), []);
  });

  test('are left to the server where a pattern would have to be run', () => {
    // Twenty-eight letters take the browser's own engine a second, and each further one doubles that.
    const value = `${'a'.repeat(200)}!`;
    assert.deepEqual(problemsOf(form({ field: { type: 'string', pattern: '^(a+)+$' } }), { field: value }), []);
  });
});

test('a branch of a union fits the values that its schema allows', () => {
  const fits = (schema: object, value: unknown) => validator.isValid(schema, value as never, {});
  assert.equal(fits({ type: 'integer' }, 7), true);
  assert.equal(fits({ type: 'integer' }, '7'), false);
  assert.equal(fits({ type: 'null' }, null), true);
  assert.equal(fits({ type: 'string' }, undefined), false);
});
