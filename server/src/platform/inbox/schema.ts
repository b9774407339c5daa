import { DateTime, described, Nullable, Shape, type Static, Type, Uuid, withDefault } from '../../schema/kinds.ts';
import { Invitation } from '../people/invitations/schema.ts';
import { AccessRequest } from '../servers/access-requests/schema.ts';
import { ServerFailureCause } from '../servers/causes/schema.ts';

export const inboxQuery = Type.Object({
  seconds: described(
    withDefault(Type.Integer({ minimum: 60, maximum: 31_536_000 }), 86_400),
    'Number of past seconds in which the listed causes came.',
  ),
});

const HeldTools = Shape(
  'HeldTools',
  {
    server: Shape('HoldingServer', { id: Uuid(), slug: Type.String(), name: Type.String() }, 'ignore'),
    tools: described(Type.Integer(), 'Tools that are new or have changed, which callers do not see.'),
  },
  'ignore',
);
export type HeldTools = Static<typeof HeldTools>;

const EndingKey = Shape(
  'EndingKey',
  {
    id: Uuid(),
    descriptor: Type.String(),
    expiresAt: Nullable(DateTime()),
    serviceAccount: described(
      Nullable(Shape('EndingKeyOwner', { id: Uuid(), name: Type.String() }, 'ignore')),
      "Null for the caller's own key.",
    ),
  },
  'ignore',
);

export const InboxView = Shape(
  'InboxView',
  {
    accessRequests: described(
      Type.Array(AccessRequest),
      'Up to 20 open requests for access that the caller may decide, newest first.',
    ),
    heldTools: described(
      Type.Array(HeldTools),
      'Up to 20 servers that the caller administers and that hold tools back until they are approved.',
    ),
    invitations: described(
      Type.Array(Invitation),
      'For administrators: up to 20 invitations that wait for their person, or expired without an answer in the last 30 days.',
    ),
    keys: described(
      Type.Array(EndingKey),
      "The caller's keys that expire soon and, for administrators, those of service accounts; at most 200, without keys that were rolled.",
    ),
    causes: described(
      Type.Array(ServerFailureCause),
      'Up to 20 open causes of failed requests to the servers that the caller edits, those that came last first.',
    ),
  },
  'ignore',
);
