/**
 * The vocabulary of wire shapes. A schema value is JSON Schema 2020-12 (typebox); from it come the static type, the
 * decoder of requests (`decode.ts`), the encoder of answers (`encode.ts`) and the OpenAPI document.
 *
 * The static type is the *decoded* one: ids lower-case, times as `Timestamp`, defaults filled in, open JSON as its
 * text.
 */
import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';
import type { JsonText } from '../values/json.ts';
import type { Timestamp } from '../values/time.ts';

export { type Static, type TSchema, Type };

const DECODED_RECORD = Symbol('decodedRecord');
const DROPS_NUL = Symbol('dropsNul');
const SEQUENCE = Symbol('sequence');
const BODY_PARTS = Symbol('bodyParts');
const BRANCH_NAME = Symbol('branchName');
const KEEPS_OFFSET = Symbol('keepsOffset');
const NOT_NEGATIVE = Symbol('notNegative');
const DOCUMENTED_AS = Symbol('documentedAs');

export function Uuid(): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', format: 'uuid' });
}

/** Text that programs wrote, such as a log line: characters that cannot be stored are removed instead of refused. */
export function ProgramText(): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', [DROPS_NUL]: true });
}

/** ISO 8601 with an offset on the wire; a number counts seconds since 1970, text without an offset is UTC. */
export function DateTime(): TUnsafe<Timestamp> {
  return Type.Unsafe<Timestamp>({ type: 'string', format: 'date-time' });
}

/** Like `DateTime`, but answered with the offset that it was given: decoded to its wire form. */
export function OffsetDateTime(): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', format: 'date-time', [KEEPS_OFFSET]: true });
}

const durationText = { type: 'string', format: 'duration' };

/**
 * A duration in seconds. On the wire it is a number, or text as `PT1H30M` or `1:30:00`. `number` and `text` are the
 * keywords of the two forms in the OpenAPI document.
 */
export function Duration(number: object = {}, text: object = durationText): TUnsafe<number> {
  const anyOf = [{ type: 'number', ...number }, text];
  return Type.Unsafe<number>({ ...durationText, [DOCUMENTED_AS]: { anyOf } });
}

/** Like `Duration`, but not negative. */
export function PositiveDuration(): TUnsafe<number> {
  const documented = { anyOf: [{ type: 'number' }, durationText], minimum: 0 };
  return Type.Unsafe<number>({ ...durationText, [NOT_NEGATIVE]: true, [DOCUMENTED_AS]: documented });
}

/** The keywords that replace `type` and `format` in the OpenAPI document; undefined if they are not replaced. */
export function documentedAs(schema: object): { readonly anyOf: readonly object[] } | undefined {
  return (schema as { [DOCUMENTED_AS]?: { readonly anyOf: readonly object[] } })[DOCUMENTED_AS];
}

export function refusesNegative(schema: object): boolean {
  return NOT_NEGATIVE in schema;
}

/** Any JSON, kept as text so that nothing is lost: `1.0` stays `1.0`, big integers stay exact, keys keep their order. */
export function Json(): TUnsafe<JsonText> {
  return Type.Unsafe<JsonText>({});
}

const MEDIA_TYPE = Symbol('media type');

/** An answer that is not JSON: text of this media type. For a stream of events, `schema` is the schema of an event. */
export function TextOf(mediaType: string, schema: TSchema = Type.String()): TUnsafe<string> {
  return extended(Type.Unsafe<string>(schema), { [MEDIA_TYPE]: mediaType });
}

export function mediaTypeOf(schema: object): string | undefined {
  return (schema as { [MEDIA_TYPE]?: string })[MEDIA_TYPE];
}

/** A JSON object with any content, kept as text like `Json`. */
export function JsonObject(): TUnsafe<JsonText> {
  return Type.Unsafe<JsonText>({ type: 'object', additionalProperties: true });
}

/** A JSON object whose values all fit `value`; kept as text like `Json`. */
export function JsonObjectOf(value: TSchema): TUnsafe<JsonText> {
  return Type.Unsafe<JsonText>({ type: 'object', additionalProperties: value });
}

/** An object with any keys whose values all fit `value`; decoded, unlike `JsonObjectOf`. */
export function RecordOf<T extends TSchema>(value: T): TUnsafe<Record<string, Static<T>>> {
  return Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    additionalProperties: value,
    [DECODED_RECORD]: true,
  });
}

/**
 * A reference to a shape that is declared later or contains itself; `schema` is called when it is first needed. Give
 * the static type if TypeScript cannot infer it: `lazy<Trigger>(() => Trigger)`.
 */
export function lazy<T>(schema: () => TSchema): TUnsafe<T> {
  return Type.Unsafe<T>({ '~lazy': schema });
}

export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
}

/** A field that may be left out or null. */
export function Maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Nullable(schema));
}

/** One of a fixed set of texts, as a named component (`$id`) of the OpenAPI document. */
export function Enum<const Values extends readonly string[]>($id: string, values: Values): TUnsafe<Values[number]> {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], $id });
}

/** One of a fixed set of texts that has no name of its own in the OpenAPI document. */
export function OneOf<const Values extends readonly string[]>(values: Values): TUnsafe<Values[number]> {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] });
}

export function Literal<const Value extends string>(value: Value): TUnsafe<Value> {
  return Type.Unsafe<Value>({ type: 'string', const: value });
}

/** A set of texts: an array on the wire, without a promised order; duplicates are dropped. */
export function TextSet(): TUnsafe<string[]> {
  return Type.Unsafe<string[]>({ type: 'array', items: { type: 'string' }, uniqueItems: true });
}

/** An array. It differs from `Type.Array` only in the message for a value that is not an array. */
export function Sequence<T extends TSchema>(items: T): TUnsafe<Static<T>[]> {
  return Type.Unsafe<Static<T>[]>({ type: 'array', items, [SEQUENCE]: true });
}

/** Absent on the wire means `value`; after decoding the field is always there. `value` is the wire form. */
export function withDefault<T extends TSchema>(schema: T, value: unknown): T {
  return extended(schema, { default: value });
}

/** The description of a field in the documents: its meaning, unit or default. It does not change decoding. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return extended(schema, { description });
}

/**
 * The example value of a field, in wire form, with which the API page fills its form. Without one, the page makes up a
 * value.
 */
export function withExample<T extends TSchema>(schema: T, example: unknown): T {
  return extended(schema, { examples: [example] });
}

/**
 * A copy with more keywords. A spread would lose typebox's hidden properties, such as the mark of an optional schema.
 */
function extended<T extends TSchema>(schema: T, keywords: object): T {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, keywords) as T;
}

/**
 * A named object shape. Unknown keys are refused (422 `extra_forbidden`) unless `extra` says otherwise; answers and the
 * few open request shapes say `'ignore'`.
 */
export function Shape<Properties extends Record<string, TSchema>>(
  $id: string,
  properties: Properties,
  extra: 'forbid' | 'ignore' = 'forbid',
) {
  return Type.Object(properties, extra === 'forbid' ? { $id, additionalProperties: false } : { $id });
}

/**
 * A body of parts that are decoded one by one, like the bodies of `/filter` routes: unknown keys are ignored, and null
 * counts as absent.
 */
export function Parts<Properties extends Record<string, TSchema>>(properties: Properties, $id?: string) {
  return Type.Object(properties, { ...($id === undefined ? {} : { $id }), [BODY_PARTS]: true });
}

const OWN_PART = Symbol('ownPart');

/** A part that the reference does not have. The answer to a body without parts does not list it as missing. */
export function ownPart<T extends TSchema>(schema: T): T {
  return extended(schema, { [OWN_PART]: true });
}

export function isOwnPart(schema: object): boolean {
  return OWN_PART in schema;
}

/**
 * Names a union's branch in the `loc` of an issue, if the name derived from its schema differs from the reference's.
 */
export function branch<T extends TSchema>(name: string, schema: T): T {
  return extended(schema, { [BRANCH_NAME]: name });
}

export function branchNameOf(schema: object): string | undefined {
  return (schema as { [BRANCH_NAME]?: string })[BRANCH_NAME];
}

export function dropsNul(schema: object): boolean {
  return DROPS_NUL in schema;
}

export function isSequence(schema: object): boolean {
  return SEQUENCE in schema;
}

export function isDecodedRecord(schema: object): boolean {
  return DECODED_RECORD in schema;
}

export function keepsOffset(schema: object): boolean {
  return KEEPS_OFFSET in schema;
}

export function isBodyParts(schema: object): boolean {
  return BODY_PARTS in schema;
}

const PREPARATION = Symbol('preparation');
const REFINEMENT = Symbol('refinement');
const GIVEN_FIELDS_ONLY = Symbol('givenFieldsOnly');

/** Returns an error message of one sentence, or undefined. `value` is decoded. */
type Refinement = (value: unknown) => string | undefined;

/**
 * A rule that JSON Schema cannot express, checked after the shape fits; a failure is a `value_error` with the prefix
 * "Value error, ". The rule must not throw.
 */
export function refine<T extends TSchema>(schema: T, check: (value: Static<T>) => string | undefined): T {
  return extended(schema, { [REFINEMENT]: check });
}

/** The result of preparing a value before it is decoded: another value, or an error message. */
export type Preparation = (input: unknown) => { readonly value: unknown } | { readonly fault: string };

/** Prepares the given value before its shape is checked; a fault replaces every other issue of the value. */
export function prepare<T extends TSchema>(schema: T, preparation: Preparation): T {
  return extended(schema, { [PREPARATION]: preparation });
}

export function preparationOf(schema: object): Preparation | undefined {
  return (schema as { [PREPARATION]?: Preparation })[PREPARATION];
}

export function refinementOf(schema: object): Refinement | undefined {
  return (schema as { [REFINEMENT]?: Refinement })[REFINEMENT];
}

/**
 * Makes a schema for PATCH bodies: an absent field stays absent (no default), so an operation sees which fields were
 * given.
 */
export function givenFieldsOnly<T extends TSchema>(schema: T): T {
  return extended(schema, { [GIVEN_FIELDS_ONLY]: true });
}

export function keepsUnset(schema: object): boolean {
  return GIVEN_FIELDS_ONLY in schema;
}
