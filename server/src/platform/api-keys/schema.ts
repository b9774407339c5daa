import { DateTime, Enum, Nullable, refine, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { List } from '../page.ts';

/** What a key is for, in the words of its maker. */
export const Descriptor = refine(Type.String({ minLength: 1, maxLength: 200 }), (text) =>
  text.trim() === text && !/\p{Cc}/u.test(text)
    ? undefined
    : 'must not begin or end with a space or contain control characters',
);

/** A key without its secret, which is answered only once, when the key is made. */
export const ApiKey = Shape(
  'ApiKey',
  {
    id: Uuid(),
    descriptor: Type.String(),
    state: Enum('ApiKeyState', ['active', 'revoked']),
    createdAt: DateTime(),
    revokedAt: Nullable(DateTime()),
    lastUsedAt: Nullable(DateTime()),
  },
  'ignore',
);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyCreate = Shape('ApiKeyCreate', { descriptor: Descriptor });
export const ApiKeyCreated = Shape('ApiKeyCreated', { apiKey: ApiKey, secret: Type.String() }, 'ignore');
export const ApiKeyList = List('ApiKeyList', ApiKey);
