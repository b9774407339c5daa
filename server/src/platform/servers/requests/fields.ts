/** The fields by which lists of requests are narrowed, and whose values are suggested. */
import { sql } from 'kysely';
import type { Expression } from '../../../database/dialect/dialect.ts';
import {
  namedField,
  textField,
  type Where,
  type WhereField,
  whereReader,
  wordField,
} from '../../../database/lists/where.ts';
import { outcome } from './outcome.ts';
import { isProtocol } from './protocol.ts';
import { OUTCOMES } from './schema.ts';

interface RequestField extends WhereField {
  readonly value: Expression;
  /** The name of the value, if it differs. */
  readonly label?: Expression;
}

function texts(column: string): RequestField {
  const value = sql.ref(column);
  return { value, ...textField(value) };
}

function words(value: Expression, known: readonly string[]): RequestField {
  return { value, ...wordField(value, known) };
}

/** The record names the owner of the key, which is the caller. */
const caller: RequestField = {
  value: sql`actor_id`,
  label: sql`actor_name`,
  ...namedField(sql`actor_id`, sql`actor_name`),
};

export const requestFieldNames = [
  'server',
  'tool',
  'method',
  'outcome',
  'caller',
  'key_owner',
  'client',
  'protocol',
] as const;
export type RequestFieldName = (typeof requestFieldNames)[number];

export const requestFields: Readonly<Record<RequestFieldName, RequestField>> = {
  /** By id; the list of readable servers gives the ids of slugs. */
  server: { value: sql`server_id`, ...namedField(sql`server_id`, sql`''`) },
  tool: texts('capability'),
  method: texts('method'),
  outcome: words(outcome, OUTCOMES),
  caller,
  key_owner: caller,
  client: texts('client_name'),
  protocol: words(sql`case when ${isProtocol} then 'yes' else 'no' end`, ['yes', 'no']),
};

/** Calls only, without requests of the protocol. */
export const callsOnly: Where = [{ field: 'protocol', not: false, values: ['no'] }];

/** Calls that failed at the server, or that the gateway could not read. */
export const failedCalls: Where = [...callsOnly, { field: 'outcome', not: false, values: ['failed', 'invalid'] }];

export const readRequestConditions = whereReader(requestFieldNames, requestFields);
