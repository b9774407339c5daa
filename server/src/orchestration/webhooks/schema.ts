import {
  DateTime,
  Enum,
  givenFieldsOnly,
  Maybe,
  Nullable,
  Parts,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { TemplateSyntaxError } from '../../templates/syntax/template-error.ts';
import { Template } from '../../templates/template.ts';
import { stamps } from '../filters/field-schema.ts';
import { limit, offset } from '../filters/filter-schema.ts';

const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 2000;
const MAX_TEMPLATE_LENGTH = 20_000;
const MAX_SECRET_LENGTH = 512;

/** The authentication of a sender; `none` trusts everyone who knows the address. */
export const WebhookSignature = Enum('WebhookSignature', [
  'none',
  'github',
  'gitlab',
  'slack',
  'standard_webhooks',
  'stripe',
]);
export type WebhookSignature = Static<typeof WebhookSignature>;

const EventTemplate = refine(Type.String({ minLength: 1, maxLength: MAX_TEMPLATE_LENGTH }), (text) => {
  try {
    new Template(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    return `The template cannot be parsed: ${error.message}`;
  }
});

const name = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH });
const description = Type.String({ maxLength: MAX_DESCRIPTION_LENGTH });
const secret = Type.String({ minLength: 1, maxLength: MAX_SECRET_LENGTH });

const content = {
  name,
  description: withDefault(description, ''),
  template: EventTemplate,
  enabled: withDefault(Type.Boolean(), true),
};

const ReceivedRequest = {
  id: Uuid(),
  received: DateTime(),
  /** True if it did not become an event. */
  refused: Type.Boolean(),
  /** Status of the answer. */
  status: Type.Integer(),
  method: Type.String(),
  body_bytes: Type.Integer(),
  /** The reason why it was refused, or why it made no new event. */
  reason: Nullable(Type.String()),
  event_id: Nullable(Uuid()),
  event: Nullable(Type.String()),
};

export const WebhookRequest = Shape('WebhookRequest', ReceivedRequest, 'ignore');

const webhook = {
  ...stamps,
  name,
  description,
  template: Type.String(),
  enabled: Type.Boolean(),
  signature: WebhookSignature,
  /** The beginning of the address. Only the answer that issues it contains all of it. */
  slug: Type.String(),
};

export const Webhook = Shape(
  'Webhook',
  { ...webhook, last_event: Nullable(DateTime()), last_failure: Nullable(DateTime()) },
  'ignore',
);

/** The whole address and the secret of signatures, which no later answer shows. */
export const IssuedWebhook = Shape(
  'IssuedWebhook',
  { ...webhook, url: Type.String(), signature_secret: Nullable(Type.String()) },
  'ignore',
);

const signing = { signature: withDefault(WebhookSignature, 'none'), signature_secret: Maybe(secret) };

export const WebhookCreate = Shape('WebhookCreate', { ...content, ...signing });
export type WebhookCreate = Static<typeof WebhookCreate>;

/** Omitted fields get their defaults, except for `enabled`, which keeps its value. */
export const WebhookReplace = Shape('WebhookReplace', { ...content, enabled: Type.Optional(Type.Boolean()) });
export type WebhookReplace = Static<typeof WebhookReplace>;

export const WebhookUpdate = givenFieldsOnly(
  Shape('WebhookUpdate', {
    name: Type.Optional(name),
    description: Type.Optional(description),
    template: Type.Optional(EventTemplate),
    enabled: Type.Optional(Type.Boolean()),
  }),
);
export type WebhookUpdate = Static<typeof WebhookUpdate>;

export const WebhookSigning = Shape('WebhookSigning', { ...signing, signature: WebhookSignature });
export type WebhookSigning = Static<typeof WebhookSigning>;

export const SignedWebhook = Shape(
  'SignedWebhook',
  { signature: WebhookSignature, signature_secret: Nullable(Type.String()) },
  'ignore',
);

export const WebhookSort = Enum('WebhookSort', ['CREATED_DESC', 'NAME_ASC', 'NAME_DESC']);
export type WebhookSort = Static<typeof WebhookSort>;

export const webhookBodies = {
  filter: Parts({ sort: withDefault(WebhookSort, 'NAME_ASC'), offset, limit }, 'Body_read_webhooks'),
};
