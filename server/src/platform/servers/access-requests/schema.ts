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
} from '../../../schema/kinds.ts';
import { RoleField } from '../../fields.ts';
import { List, pageQuery } from '../../page.ts';

const MAX_TEXT = 1000;
const STATES = ['open', 'approved', 'refused', 'withdrawn'] as const;

/** One or two sentences for another person: not blank, and without control characters except line ends. */
const Reason = refine(Type.String({ minLength: 1, maxLength: MAX_TEXT }), (text) => {
  if (text.trim() === '') return 'must not be blank';
  return /[^\P{Cc}\n\t]/u.test(text) ? 'must not contain control characters' : undefined;
});

export const AccessRequestState = Enum('AccessRequestState', STATES);

export const AccessRequest = Shape(
  'AccessRequest',
  {
    id: Uuid(),
    createdAt: DateTime(),
    server: Shape('RequestedServer', { id: Uuid(), slug: Type.String(), name: Type.String() }, 'ignore'),
    userId: Uuid(),
    userName: described(Type.String(), 'Address of the person who asks.'),
    reason: described(Type.String(), 'Why the person asks.'),
    state: AccessRequestState,
    role: described(Nullable(RoleField), 'The role that was granted.'),
    answer: described(Nullable(Type.String()), 'Why it was refused.'),
    decidedAt: Nullable(DateTime()),
    decidedBy: described(Nullable(Type.String()), 'Address or name of the actor who decided.'),
  },
  'ignore',
);
export type AccessRequest = Static<typeof AccessRequest>;

export const AccessRequestList = List('AccessRequestList', AccessRequest);

export const AccessRequestCreate = Shape('AccessRequestCreate', {
  reason: described(Reason, 'Reason for the request, for the administrators of the server.'),
});
export type AccessRequestCreate = Static<typeof AccessRequestCreate>;

export const AccessApproval = Shape('AccessApproval', {
  role: described(withDefault(RoleField, 'viewer'), 'The role on the server that is granted.'),
});

export const AccessRefusal = Shape('AccessRefusal', {
  reason: described(Reason, 'Reason for the decision, for the person who asked.'),
});

export const accessRequestQuery = Type.Object({
  ...pageQuery.properties,
  state: Type.Optional(AccessRequestState),
  server: described(Type.Optional(Type.String({ maxLength: 100 })), 'Id or slug of one server.'),
  own: described(
    withDefault(Type.Boolean(), false),
    "Lists the caller's own requests instead of those that the caller may decide.",
  ),
});
