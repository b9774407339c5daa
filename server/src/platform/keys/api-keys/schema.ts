import {
  DateTime,
  described,
  Enum,
  Nullable,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
  withExample,
} from '../../../schema/kinds.ts';
import { List, pageQuery } from '../../page.ts';

/** Keys that end within this many days are listed as ending soon. */
export const SOON_DAYS = 14;
/** Keys that were not used for this many days are stale. */
export const STALE_DAYS = 90;
const DAY_SECONDS = 86_400;
/** The longest time for which the old key continues to work. */
export const MOST_OVERLAP_SECONDS = 30 * DAY_SECONDS;

/** The purpose of a key, in the words of its maker. */
export const Descriptor = refine(Type.String({ minLength: 1, maxLength: 200 }), (text) =>
  text.trim() === text && !/\p{Cc}/u.test(text)
    ? undefined
    : 'must not begin or end with a space or contain control characters',
);

/** A key without its secret, which is returned only once, when the key is made. */
export const ApiKey = Shape(
  'ApiKey',
  {
    id: Uuid(),
    descriptor: Type.String(),
    state: Enum('ApiKeyState', ['active', 'expired', 'revoked']),
    createdAt: DateTime(),
    revokedAt: Nullable(DateTime()),
    lastUsedAt: Nullable(DateTime()),
    expiresAt: described(
      Nullable(DateTime()),
      "The first moment at which it no longer works; null when it does not expire. The greatest age of keys in a service account's organization counts.",
    ),
    replacedBy: described(Nullable(Uuid()), 'The key that a roll made in its place.'),
    isStale: described(Type.Boolean(), `It is active, and was not used for ${STALE_DAYS} days or never.`),
  },
  'ignore',
);
export type ApiKey = Static<typeof ApiKey>;

/** The expiry of a new key. */
export const ExpiryField = described(
  Type.Optional(Nullable(withExample(DateTime(), '2099-12-31T00:00:00Z'))),
  'When the key expires. Without it, or with null, the key gets the greatest age of keys in the organization, and does not expire where there is none.',
);

export const ApiKeyCreate = Shape('ApiKeyCreate', { descriptor: Descriptor, expiresAt: ExpiryField });
export type ApiKeyCreate = Static<typeof ApiKeyCreate>;
export const ApiKeyCreated = Shape('ApiKeyCreated', { apiKey: ApiKey, secret: Type.String() }, 'ignore');
export const ApiKeyList = List('ApiKeyList', ApiKey);

export const ApiKeyRoll = Shape('ApiKeyRoll', {
  endsInSeconds: described(
    withDefault(Type.Integer({ minimum: 0, maximum: MOST_OVERLAP_SECONDS }), DAY_SECONDS),
    'The old key works for so many seconds more, and counts as active until then; 0 revokes it at once. An earlier expiry of its own stays.',
  ),
  descriptor: described(Type.Optional(Descriptor), 'What the new key is for. Without it, as the old one.'),
  expiresAt: described(
    Type.Optional(Nullable(DateTime())),
    'When the new key expires. Without it, or with null, it lives as long as the old one was made for.',
  ),
  revokeKeyId: described(
    Type.Optional(Uuid()),
    'Another active key of the owner, or the old one, to revoke at once: a service account has at most two active keys.',
  ),
});
export type ApiKeyRoll = Static<typeof ApiKeyRoll>;

export const ApiKeyRolled = Shape(
  'ApiKeyRolled',
  { apiKey: ApiKey, secret: Type.String(), replacedKey: described(ApiKey, 'The old key, with its end.') },
  'ignore',
);

/** A key of a service account, in the list of an organization. */
export const OrganizationApiKey = Shape(
  'OrganizationApiKey',
  {
    ...ApiKey.properties,
    serviceAccount: Shape('ApiKeyServiceAccount', { id: Uuid(), name: Type.String() }, 'ignore'),
  },
  'ignore',
);
export type OrganizationApiKey = Static<typeof OrganizationApiKey>;
export const OrganizationApiKeyList = List('OrganizationApiKeyList', OrganizationApiKey);

export const ApiKeyFilter = Enum('ApiKeyFilter', ['all', 'active', 'expiring', 'stale']);
export type ApiKeyFilter = Static<typeof ApiKeyFilter>;

export const keyPageQuery = Type.Object({
  ...pageQuery.properties,
  filter: withDefault(
    described(
      ApiKeyFilter,
      `\`active\`, \`expiring\` (active, and ends within ${SOON_DAYS} days) or \`stale\` (active, and not used for ${STALE_DAYS} days or never).`,
    ),
    'all',
  ),
});
