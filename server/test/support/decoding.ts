/** The results of decoders on JSON texts, for their tests. */
import assert from 'node:assert/strict';
import { compileDecoder, type Location } from '../../src/schema/decode.ts';
import type { TSchema } from '../../src/schema/kinds.ts';
import { parseJson } from '../../src/values/json.ts';

export function decode(schema: TSchema, text: string, location: Location = 'body'): unknown {
  const result = compileDecoder(schema, location)(parseJson(text));
  assert.ok(result.ok, `${text} is refused: ${JSON.stringify(result)}`);
  return result.value;
}

/** The issues as `[type, place below the body, message]`. */
export function issues(schema: TSchema, text: string): unknown[] {
  const result = compileDecoder(schema, 'body')(parseJson(text));
  assert.ok(!result.ok, `${text} is accepted`);
  return result.issues.map(({ type, loc, msg }) => [type, loc.slice(1).join('.'), msg]);
}

export const typesOf = (schema: TSchema, text: string) => issues(schema, text).map((issue) => (issue as string[])[0]);
