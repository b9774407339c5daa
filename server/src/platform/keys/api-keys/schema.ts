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
      "The first moment at which the key no longer works; null if it does not expire. It includes the maximum age of keys in a service account's organization.",
    ),
    replacedBy: described(Nullable(Uuid()), 'The key that replaced it in a roll.'),
    isStale: described(Type.Boolean(), `The key is active, and was never used or not in the last ${STALE_DAYS} days.`),
  },
  'ignore',
);
export type ApiKey = Static<typeof ApiKey>;

/** The expiry of a new key. */
export const ExpiryField = described(
  Type.Optional(Nullable(withExample(DateTime(), '2099-12-31T00:00:00Z'))),
  'When the key expires. Omitted or null: the key expires at the maximum age of keys in the organization; without a maximum it does not expire.',
);

export const ApiKeyCreate = Shape('ApiKeyCreate', { descriptor: Descriptor, expiresAt: ExpiryField });
export type ApiKeyCreate = Static<typeof ApiKeyCreate>;
export const ApiKeyCreated = Shape('ApiKeyCreated', { apiKey: ApiKey, secret: Type.String() }, 'ignore');
export const ApiKeyList = List('ApiKeyList', ApiKey);

export const ApiKeyRoll = Shape('ApiKeyRoll', {
  endsInSeconds: described(
    withDefault(Type.Integer({ minimum: 0, maximum: MOST_OVERLAP_SECONDS }), DAY_SECONDS),
    'Seconds for which the old key continues to work and counts as active; 0 revokes it at once. An earlier expiry of the old key stays.',
  ),
  descriptor: described(Type.Optional(Descriptor), 'What the new key is for. Default: that of the old key.'),
  expiresAt: described(
    Type.Optional(Nullable(DateTime())),
    'When the new key expires. Omitted or null: it gets the lifetime of the old key.',
  ),
  revokeKeyId: described(
    Type.Optional(Uuid()),
    'Another active key of the owner, or the old one, to revoke at once: a service account has at most two active keys.',
  ),
});
export type ApiKeyRoll = Static<typeof ApiKeyRoll>;

export const ApiKeyRolled = Shape(
  'ApiKeyRolled',
  { apiKey: ApiKey, secret: Type.String(), replacedKey: described(ApiKey, 'The old key, with its new expiry.') },
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
      `\`active\`, \`expiring\` (active, and expires within ${SOON_DAYS} days) or \`stale\` (active, and never used or not in the last ${STALE_DAYS} days).`,
    ),
    'all',
  ),
});
