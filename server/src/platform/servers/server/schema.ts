import { EFFECTS, RULE_ROLES } from '../../../mcp/gateway/decide/policy.ts';
import { HostedConnection, HostedConnectionUpdate } from '../../../mcp/hosting/launch/schema.ts';
import { CAPABILITY_KINDS } from '../../../mcp/protocol/methods.ts';
import {
  DateTime,
  described,
  Enum,
  givenFieldsOnly,
  JsonObject,
  Maybe,
  Nullable,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { DisplayName, RoleField, Slug, stamps } from '../../fields.ts';
import { List } from '../../page.ts';
import { HttpUrl } from './connection-fields.ts';
import { PersonalCredential, PersonalCredentialWrite } from './personal-credential-schema.ts';
import { Remix, RemixWrite } from './remix-schema.ts';
import { UpstreamCredential, UpstreamCredentialWrite } from './upstream-credential.ts';

export const ServerKind = Enum('ServerKind', ['external', 'hosted', 'remix', 'builtin']);
/** Without the built-in kind: a workspace gets its built-in server when it is made. */
const CreatedKind = Enum('CreatedServerKind', ['external', 'hosted', 'remix']);
export const Visibility = Enum('ServerVisibility', ['discoverable', 'concealed']);
export const AuthenticationMode = Enum('AuthenticationMode', ['platform', 'keys', 'none']);
const DeniedAs = Enum('DeniedAs', ['forbidden', 'unknown']);

const AnswerSeconds = Type.Integer({ minimum: 1, maximum: 3600 });

const ExternalWrite = Shape('ExternalConnectionWrite', {
  url: HttpUrl,
  credential: withDefault(UpstreamCredentialWrite, { kind: 'none' }),
  /** Seconds until an answer must begin. */
  answerSeconds: withDefault(AnswerSeconds, 170),
});

/** A change: omitted fields stay, including the secret. */
const ExternalUpdate = Shape('ExternalConnectionUpdate', {
  url: Type.Optional(HttpUrl),
  /** Required again when the address has another origin, because the secret was given only for the earlier one. */
  credential: Type.Optional(UpstreamCredentialWrite),
  answerSeconds: Type.Optional(AnswerSeconds),
});
export type ExternalUpdate = Static<typeof ExternalUpdate>;

const External = Shape(
  'ExternalConnection',
  { url: Type.String(), credential: UpstreamCredential, answerSeconds: Type.Integer() },
  'ignore',
);

export const Server = Shape(
  'Server',
  {
    ...stamps,
    organizationId: Uuid(),
    slug: Type.String(),
    name: Type.String(),
    description: Type.String(),
    kind: ServerKind,
    visibility: Visibility,
    /** The role of members without a grant; null for none. */
    defaultRole: described(Nullable(RoleField), 'Role of members of the organization without a grant. Null: none.'),
    authentication: AuthenticationMode,
    /**
     * The answer to a name that the capability policy denies. `forbidden`: HTTP 403, whether or not the name exists.
     * `unknown`: the server's own answer to a name that does not exist.
     */
    deniedAs: DeniedAs,
    /** The address to which MCP clients connect. */
    servingUrl: Type.String(),
    /** The caller's role; null if the caller only sees the server. */
    role: Nullable(RoleField),
    external: Nullable(External),
    hosted: Nullable(HostedConnection),
    remix: Nullable(Remix),
    personalCredential: described(
      Nullable(PersonalCredential),
      'How people identify themselves at the server with their own accounts. Null: they do not use their own accounts.',
    ),
    manifestReadAt: Nullable(DateTime()),
    manifestError: Nullable(Type.String()),
  },
  'ignore',
);
export type Server = Static<typeof Server>;

export const ServerList = List('ServerList', Server);

const Description = Type.String({ maxLength: 2000 });

export const ServerCreate = Shape('ServerCreate', {
  slug: Slug,
  name: DisplayName,
  description: withDefault(Description, ''),
  kind: CreatedKind,
  visibility: withDefault(Visibility, 'discoverable'),
  defaultRole: described(
    withDefault(Nullable(RoleField), null),
    'Role of members of the organization without a grant. Null: none.',
  ),
  authentication: withDefault(AuthenticationMode, 'platform'),
  deniedAs: withDefault(DeniedAs, 'forbidden'),
  external: Maybe(ExternalWrite),
  /** The settings of a hosted server; omitted fields have their defaults. */
  hosted: Maybe(HostedConnection),
  /** The capabilities that a remix offers. */
  remix: Maybe(RemixWrite),
  personalCredential: Maybe(PersonalCredentialWrite),
});
export type ServerCreate = Static<typeof ServerCreate>;

export const ServerUpdate = givenFieldsOnly(
  Shape('ServerUpdate', {
    slug: Type.Optional(Slug),
    name: Type.Optional(DisplayName),
    description: Type.Optional(Description),
    visibility: Type.Optional(Visibility),
    defaultRole: described(
      Type.Optional(Nullable(RoleField)),
      'Role of members of the organization without a grant. Null: none.',
    ),
    authentication: Type.Optional(AuthenticationMode),
    deniedAs: Type.Optional(DeniedAs),
    external: Type.Optional(ExternalUpdate),
    hosted: Type.Optional(HostedConnectionUpdate),
    /** Replaces all choices. */
    remix: Type.Optional(RemixWrite),
    /** Null if people no longer use accounts of their own. */
    personalCredential: Type.Optional(Nullable(PersonalCredentialWrite)),
  }),
);
export type ServerUpdate = Static<typeof ServerUpdate>;

const MAX_PATTERN = 500;
const MAX_RULES = 500;

const ruleFields = {
  role: withDefault(Nullable(Enum('RuleRole', RULE_ROLES)), null),
  actorId: withDefault(Nullable(Uuid()), null),
  capability: Enum('CapabilityKind', CAPABILITY_KINDS),
  pattern: Type.String({ minLength: 1, maxLength: MAX_PATTERN }),
  effect: Enum('RuleEffect', EFFECTS),
};

const PolicyRuleWrite = refine(Shape('PolicyRuleWrite', ruleFields), ({ role, actorId }) =>
  (role === null) === (actorId === null) ? 'must be for a role or for one actor' : undefined,
);

export const PolicyPut = Shape('PolicyPut', { rules: Type.Array(PolicyRuleWrite, { maxItems: MAX_RULES }) });
export type PolicyPut = Static<typeof PolicyPut>;

export const PolicyAnswer = Shape(
  'Policy',
  {
    /** Rises with each change. */
    version: Type.Integer(),
    rules: Type.Array(Shape('PolicyRule', { id: Uuid(), ...ruleFields }, 'ignore')),
  },
  'ignore',
);

const items = Type.Array(JsonObject());

export const Capabilities = Shape(
  'Capabilities',
  {
    readAt: Nullable(DateTime()),
    /** The reason why the last reading failed; null if it succeeded. Earlier results stay. */
    error: Nullable(Type.String()),
    /** `legacy`: revisions with sessions; `modern`: the stateless revision. */
    eras: Type.Array(Type.String()),
    serverInfo: Nullable(JsonObject()),
    instructions: Nullable(Type.String()),
    tools: items,
    prompts: items,
    resources: items,
    resourceTemplates: items,
  },
  'ignore',
);

export const previewQuery = Type.Object({ actorId: Uuid() });

export const AccessPreview = Shape(
  'AccessPreview',
  {
    actorId: Uuid(),
    /** Null for no access. */
    role: Nullable(RoleField),
    reason: Type.String(),
    capabilities: Type.Array(
      Shape(
        'CapabilityPreview',
        {
          capability: Enum('CapabilityKind', CAPABILITY_KINDS),
          name: Type.String(),
          allowed: Type.Boolean(),
          reason: Type.String(),
        },
        'ignore',
      ),
    ),
  },
  'ignore',
);

export const PolicyPreviewBody = Shape('PolicyPreviewWrite', {
  rules: Type.Array(PolicyRuleWrite, { maxItems: MAX_RULES }),
  actorId: described(
    withDefault(Nullable(Uuid()), null),
    'Also preview the effect for this member or service account.',
  ),
});
export type PolicyPreviewBody = Static<typeof PolicyPreviewBody>;

const Verdict = Shape(
  'PolicyVerdict',
  {
    allowed: Type.Boolean(),
    rule: described(Nullable(Type.Integer()), 'Position of the deciding rule, from 0. Null: no rule decides.'),
    reason: Type.String(),
  },
  'ignore',
);
export type Verdict = Static<typeof Verdict>;

export const PolicyPreview = Shape(
  'PolicyPreview',
  {
    actor: Nullable(
      Shape('PreviewedActor', { actorId: Uuid(), role: Nullable(RoleField), reason: Type.String() }, 'ignore'),
    ),
    capabilities: Type.Array(
      Shape(
        'CapabilityEffect',
        {
          capability: Enum('CapabilityKind', CAPABILITY_KINDS),
          name: Type.String(),
          viewer: Verdict,
          editor: Verdict,
          actor: Nullable(Verdict),
          actorNow: described(Nullable(Type.Boolean()), 'Whether the stored policy lets the actor use the capability.'),
          gained: described(Type.Integer(), 'Actors who may use the capability only under these rules.'),
          lost: described(Type.Integer(), 'Actors who may use the capability only under the stored policy.'),
        },
        'ignore',
      ),
    ),
    actorsWithRole: described(Type.Integer(), 'Active members and service accounts with a role on the server.'),
    affected: described(
      Type.Array(
        Shape(
          'AffectedActor',
          { actorId: Uuid(), actorName: Type.String(), gained: Type.Integer(), lost: Type.Integer() },
          'ignore',
        ),
      ),
      'At most 50 actors whose capabilities change, by name.',
    ),
    affectedCount: Type.Integer(),
  },
  'ignore',
);
export type PolicyPreview = Static<typeof PolicyPreview>;

export const ConnectionTestBody = Shape('ConnectionTest', {
  external: described(
    ExternalUpdate,
    'The connection. With `server`, omitted fields come from that server, including the secret.',
  ),
  server: described(withDefault(Nullable(Type.String({ maxLength: 100 })), null), 'Id or slug of an external server.'),
});
export type ConnectionTestBody = Static<typeof ConnectionTestBody>;

export const ConnectionTestResult = Shape(
  'ConnectionTestResult',
  {
    /** The reason why it failed; null if it succeeded. */
    error: Nullable(Type.String()),
    durationMicroseconds: Type.Integer(),
    eras: Type.Array(Type.String()),
    serverInfo: Nullable(JsonObject()),
    instructions: Nullable(Type.String()),
    tools: Type.Array(Type.String()),
    prompts: Type.Array(Type.String()),
    resources: Type.Array(Type.String()),
  },
  'ignore',
);
export type ConnectionTestResult = Static<typeof ConnectionTestResult>;
