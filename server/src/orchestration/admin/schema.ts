/** The server itself: its version, its default result storage, CSRF tokens. */
import { DateTime, Maybe, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { stamps } from '../filters/field-schema.ts';

export const ServerDefaultResultStorage = Shape(
  'ServerDefaultResultStorage',
  { default_result_storage_block_id: Maybe(Uuid()) },
  'ignore',
);
export type ServerDefaultResultStorage = Static<typeof ServerDefaultResultStorage>;

export const ServerDefaultResultStorageUpdate = Shape(
  'ServerDefaultResultStorageUpdate',
  { default_result_storage_block_id: Uuid() },
  'ignore',
);
export type ServerDefaultResultStorageUpdate = Static<typeof ServerDefaultResultStorageUpdate>;

export const CsrfToken = Shape(
  'CsrfToken',
  { ...stamps, token: Type.String(), client: Type.String(), expiration: DateTime() },
  'ignore',
);
export type CsrfToken = Static<typeof CsrfToken>;

/** `client` is an id that the client generated. */
export const csrfTokenQuery = Type.Object({ client: Type.String() });
