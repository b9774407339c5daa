// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decode, issues, typesOf } from '../../test/support/decoding.ts';
import { stepsOf } from '../../test/support/steps.ts';
import { jsonTextOf, parseJson } from '../values/json.ts';
import { compileDecoder } from './decode.ts';
import {
  branch,
  DateTime,
  givenFieldsOnly,
  Json,
  JsonObject,
  JsonObjectOf,
  Literal,
  lazy,
  Maybe,
  Nullable,
  OneOf,
  Parts,
  RecordOf,
  refine,
  Shape,
  TextSet,
  type TSchema,
  Type,
  Uuid,
  withDefault,
} from './kinds.ts';

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

describe('shapes', () => {
  const Create = Shape('Create', {
    name: Type.String(),
    tags: withDefault(Type.Array(Type.String()), []),
    parameters: withDefault(JsonObject(), {}),
    parent: Maybe(Uuid()),
    due: Maybe(DateTime()),
  });

  test('defaults are filled in, absent fields stay absent, null stays null', () => {
    assert.deepEqual(decode(Create, '{"name":"a","parent":null}'), {
      name: 'a',
      tags: [],
      parameters: '{}',
      parent: null,
    });
  });

  test('two values never share a default', () => {
    const first = decode(Create, '{"name":"a"}') as { tags: string[] };
    first.tags.push('x');
    assert.deepEqual((decode(Create, '{"name":"a"}') as { tags: string[] }).tags, []);
  });

  test('an update contains only the given fields', () => {
    assert.deepEqual(decode(givenFieldsOnly(Create), '{"due":0}'.replace('{', '{"name":"a",')), {
      name: 'a',
      due: '1970-01-01T00:00:00.000000Z',
    });
  });

  test('errors are in the order of the fields, then of the unknown keys', () => {
    assert.deepEqual(issues(Create, '{"z":1,"1":2,"due":"x","tags":[1,"a",2]}'), [
      ['missing', 'name', 'Field required'],
      ['string_type', 'tags.0', 'Input should be a valid string'],
      ['string_type', 'tags.2', 'Input should be a valid string'],
      ['value_error', 'due', 'Value error, Unable to parse string [x]'],
      ['extra_forbidden', 'z', 'Extra inputs are not permitted'],
      ['extra_forbidden', '1', 'Extra inputs are not permitted'],
    ]);
  });

  test('an error shows the given value', () => {
    const result = compileDecoder(Create, 'body')(parseJson('{"tags":{"a":1.0}}'));
    assert.equal(
      jsonTextOf(result),
      '{"ok":false,"issues":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{"tags":{"a":1.0}}},' +
        '{"type":"list_type","loc":["body","tags"],"msg":"Input should be a valid list","input":{"a":1.0}}]}',
    );
  });

  test('a value that is not an object is refused', () => {
    for (const text of ['[]', '5', '1.0', '"x"', 'true'])
      assert.deepEqual(typesOf(Create, text), ['model_attributes_type']);
  });

  test('an absent or null body is missing, unless null is allowed or there is a default', () => {
    assert.deepEqual(compileDecoder(Create, 'body')(undefined), {
      ok: false,
      issues: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    });
    assert.equal(decode(Nullable(Create), 'null'), null);
    assert.equal(decode(withDefault(Type.Integer(), 7), 'null'), 7);
  });

  test('unknown keys are dropped where the shape is open', () => {
    assert.deepEqual(decode(Shape('Open', { a: Type.Integer() }, 'ignore'), '{"b":1,"a":2,"__proto__":{"c":1}}'), {
      a: 2,
    });
  });

  test('a rule is checked once the shape fits', () => {
    const Range = refine(Shape('Range', { from: Type.Integer(), to: Type.Integer() }), ({ from, to }) =>
      from > to ? 'from is after to' : undefined,
    );
    assert.deepEqual(decode(Range, '{"from":1,"to":2}'), { from: 1, to: 2 });
    assert.deepEqual(typesOf(Range, '{"from":5}'), ['missing']);
    assert.deepEqual(compileDecoder(Range, 'body')({ from: 2, to: 1 }), {
      ok: false,
      issues: [
        {
          type: 'value_error',
          loc: ['body'],
          msg: 'Value error, from is after to',
          input: { from: 2, to: 1 },
          ctx: { error: {} },
        },
      ],
    });
  });

  test('a refined, defaulted or named field stays optional', () => {
    const schema = Type.Object({
      a: refine(Type.Optional(Type.String()), () => undefined),
      b: branch('B', Maybe(Uuid())),
    });
    assert.deepEqual(decode(schema, '{}'), {});
  });

  test('a shape may contain itself', () => {
    const Tree: TSchema = Shape('Tree', {
      name: Type.String(),
      children: withDefault(Type.Array(lazy(() => Tree)), []),
    });
    assert.deepEqual(decode(Tree, '{"name":"a","children":[{"name":"b"}]}'), {
      name: 'a',
      children: [{ name: 'b', children: [] }],
    });
    assert.deepEqual(issues(Tree, '{"name":"a","children":[{"children":[{}]}]}'), [
      ['missing', 'children.0.name', 'Field required'],
      ['missing', 'children.0.children.0.name', 'Field required'],
    ]);
  });

  test('an invalid default is found at start', () => {
    assert.throws(() => compileDecoder(Type.Object({ a: withDefault(Type.Integer(), 'x') }), 'body'), TypeError);
  });
});

describe('a body in parts', () => {
  const Body = Parts({
    limit: withDefault(Type.Integer({ minimum: 0 }), 200),
    filter: Maybe(Shape('Filter', { a: Type.Integer() })),
    names: Type.Array(Type.String()),
  });

  test('null counts as absent, unknown keys are ignored', () => {
    assert.deepEqual(decode(Body, '{"limit":null,"filter":null,"names":["a"],"zzz":1}'), { limit: 200, names: ['a'] });
  });

  test('each part is checked separately', () => {
    assert.deepEqual(issues(Body, '{"limit":-1,"filter":{"a":1,"b":2}}'), [
      ['greater_than_equal', 'limit', 'Input should be greater than or equal to 0'],
      ['extra_forbidden', 'filter.b', 'Extra inputs are not permitted'],
      ['missing', 'names', 'Field required'],
    ]);
  });

  test('a body that is not an object lacks every part, an absent one only the required parts', () => {
    assert.deepEqual(typesOf(Body, '[]'), ['missing', 'missing', 'missing']);
    assert.deepEqual(typesOf(Body, 'null'), ['missing']);
  });
});

describe('open JSON', () => {
  test('is kept as compact text without loss', () => {
    const text = '{"b":1.0,"2":[12345678901234567890],"1":null}';
    assert.equal(decode(JsonObject(), text), text);
    assert.equal(decode(Json(), ' [1.0, {"a" : 2}] '), '[1.0,{"a":2}]');
    assert.deepEqual(decode(Type.Object({ data: Json() }), '{"data":null}'), { data: 'null' });
    assert.deepEqual(typesOf(JsonObject(), '[]'), ['dict_type']);
  });

  test('with typed values is stored as text or decoded', () => {
    assert.equal(decode(JsonObjectOf(Type.Integer()), '{"a":1.0,"b":"2"}'), '{"a":1.0,"b":"2"}');
    assert.deepEqual(
      decode(RecordOf(Type.Integer()), '{"a":1.0,"__proto__":"2"}'),
      Object.fromEntries([
        ['a', 1],
        ['__proto__', 2],
      ]),
    );
    assert.deepEqual(decode(Type.Record(Type.String(), Uuid()), `{"a":"${ID.toUpperCase()}"}`), { a: ID });
    assert.deepEqual(issues(JsonObjectOf(Type.String()), '{"b":1,"1":2}'), [
      ['string_type', 'b', 'Input should be a valid string'],
      ['string_type', '1', 'Input should be a valid string'],
    ]);
  });
});

describe('lists', () => {
  test('have their length checked', () => {
    const schema = Type.Array(Type.Integer(), { minItems: 1, maxItems: 2 });
    assert.deepEqual(decode(schema, '[1,"2"]'), [1, 2]);
    assert.deepEqual(issues(schema, '[]'), [
      ['too_short', '', 'List should have at least 1 item after validation, not 0'],
    ]);
    assert.deepEqual(issues(schema, '["x",1,2]'), [
      ['too_long', '', 'List should have at most 2 items after validation, not 3'],
    ]);
  });

  test('as sets drop duplicates', () => {
    assert.deepEqual(decode(TextSet(), '["a","b","a"]'), ['a', 'b']);
    assert.deepEqual(typesOf(TextSet(), '"a"'), ['set_type']);
  });

  test('as tuples have a schema for each position', () => {
    const schema = Type.Tuple([Type.String(), Type.Integer()]);
    assert.deepEqual(decode(schema, '["a","1"]'), ['a', 1]);
    assert.deepEqual(issues(schema, '[1]'), [
      ['string_type', '0', 'Input should be a valid string'],
      ['missing', '1', 'Field required'],
    ]);
    assert.deepEqual(typesOf(schema, '[1,"x",2]'), ['too_long']);
  });
});

describe('unions', () => {
  const Label = Type.Union([Type.Boolean(), Type.Integer(), Type.Number(), Type.String()]);

  test('keep the type of the value', () => {
    for (const [text, value] of [
      ['1', 1],
      ['true', true],
      ['2.5', 2.5],
      ['"1"', '1'],
    ] as const)
      assert.equal(decode(Label, text), value);
  });

  test('report the errors of every branch by its name', () => {
    const schema = Type.Union([
      Type.Integer(),
      Type.Array(Type.Number()),
      OneOf(['any', 'all']),
      JsonObjectOf(Type.String()),
    ]);
    assert.deepEqual(issues(Type.Object({ a: Nullable(schema) }), '{"a":false}'.replace('false', '["x"]')), [
      ['int_type', 'a.int', 'Input should be a valid integer'],
      ['float_parsing', 'a.list[float].0', 'Input should be a valid number, unable to parse string as a number'],
      ['literal_error', "a.literal['any','all']", "Input should be 'any' or 'all'"],
      ['dict_type', 'a.dict[str,str]', 'Input should be a valid dictionary'],
    ]);
  });

  test('of shapes choose the one that most fields fit', () => {
    const One = Shape('One', { a: Type.Integer() }, 'ignore');
    const Two = branch('second', Shape('Two', { a: Type.Integer(), b: Type.Optional(Type.Integer()) }, 'ignore'));
    assert.deepEqual(decode(Type.Union([One, Two]), '{"a":1}'), { a: 1 });
    assert.deepEqual(decode(Type.Union([One, Two]), '{"a":1,"b":2}'), { a: 1, b: 2 });
    assert.deepEqual(issues(Type.Union([One, Two]), '{}'), [
      ['missing', 'One.a', 'Field required'],
      ['missing', 'second.a', 'Field required'],
    ]);
  });

  test('with a discriminator report only the errors of its branch', () => {
    const Cat = Shape('Cat', { kind: Literal('cat'), lives: Type.Integer() });
    const Dog = Shape('Dog', { kind: Literal('dog') });
    const Pet = Type.Unsafe({ oneOf: [Cat, Dog], discriminator: { propertyName: 'kind' } });
    assert.deepEqual(decode(Pet, '{"kind":"cat","lives":9}'), { kind: 'cat', lives: 9 });
    assert.deepEqual(issues(Pet, '{"kind":"cat"}'), [['missing', 'cat.lives', 'Field required']]);
    assert.deepEqual(issues(Pet, '{"kind":null}'), [
      [
        'union_tag_invalid',
        '',
        "Input tag 'None' found using 'kind' does not match any of the expected tags: 'cat', 'dog'",
      ],
    ]);
    assert.deepEqual(typesOf(Pet, '{}'), ['union_tag_not_found']);
    assert.deepEqual(typesOf(Pet, '[]'), ['model_attributes_type']);
  });

  test('that contain themselves take steps in proportion to their depth, for any errors', async () => {
    const Leaf = Shape('Leaf', { leaf: Type.Integer() });
    const All: TSchema = Shape('All', { of: Type.Array(lazy(() => Any)) });
    const Some: TSchema = Shape('Some', { of: Type.Array(lazy(() => Any)) });
    const Any = Type.Union([Leaf, All, Some]);
    const nested = (depth: number, inner: string) => `${'{"of":['.repeat(depth)}${inner}${']}'.repeat(depth)}`;
    const steps = async (depth: number) => {
      const valid = nested(depth, '{"leaf":1}');
      const decoding = await stepsOf(() => assert.equal(jsonTextOf(decode(Any, valid)), valid));
      const refusing = await stepsOf(() => assert.equal(issues(Any, nested(depth, '{"leaf":"x"}')).length, 10_000));
      return { decoding, refusing };
    };
    const [half, whole] = [await steps(50), await steps(100)];
    assert.ok(whole.decoding < 2.5 * half.decoding, `${half.decoding}, then ${whole.decoding}`);
    assert.ok(whole.refusing < 2.5 * half.refusing, `${half.refusing}, then ${whole.refusing}`);
  });
});

describe('parameters of a URL', () => {
  const Query = Type.Object({
    deep: withDefault(Type.Boolean(), false),
    ids: Type.Optional(Type.Array(Type.Integer())),
    client: Type.String(),
  });

  test('are read from text, the last of a repeated one counts, lists take all', () => {
    assert.deepEqual(decode(Query, '{"deep":["yes","no"],"ids":["1","2"],"client":"","other":"x"}', 'query'), {
      deep: false,
      ids: [1, 2],
      client: '',
    });
    assert.deepEqual(decode(Query, '{"ids":"1","client":"a"}', 'query'), { deep: false, ids: [1], client: 'a' });
  });

  test('are reported with their position', () => {
    assert.deepEqual(compileDecoder(Query, 'query')({ deep: 'x' }), {
      ok: false,
      issues: [
        {
          type: 'bool_parsing',
          loc: ['query', 'deep'],
          msg: 'Input should be a valid boolean, unable to interpret input',
          input: 'x',
        },
        { type: 'missing', loc: ['query', 'client'], msg: 'Field required', input: null },
      ],
    });
  });
});
