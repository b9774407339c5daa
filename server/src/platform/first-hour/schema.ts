/** The first MCP server of an organization and its first call, as one caller sees them. */
import { DateTime, described, Nullable, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { ServerKind } from '../servers/server/schema.ts';

export const firstServersQuery = Type.Object({
  workspace: described(Type.Optional(Uuid()), 'The workspace whose built-in server is meant.'),
});

export const FirstServers = Shape(
  'FirstServers',
  {
    hosting: described(
      Nullable(Type.String()),
      'Why this installation runs no programs of users; null if it runs them.',
    ),
    refusesPrivateTargets: described(
      Type.Boolean(),
      'True if the server connects to no private address but those of SIGNALBOX_ALLOWED_PRIVATE_NETWORKS.',
    ),
    builtin: described(
      Nullable(Shape('FirstBuiltinServer', { slug: Type.String(), name: Type.String() }, 'ignore')),
      'The built-in server of the workspace, if the caller has a role on it.',
    ),
    server: described(
      Nullable(
        Shape(
          'FirstServer',
          {
            slug: Type.String(),
            name: Type.String(),
            kind: ServerKind,
            manifestReadAt: Nullable(DateTime()),
            manifestError: Nullable(Type.String()),
          },
          'ignore',
        ),
      ),
      'The newest server, without the built-in ones, on which the caller has a role.',
    ),
    call: described(
      Nullable(
        Shape(
          'FirstCall',
          { server: Type.String(), capability: Nullable(Type.String()), occurred: DateTime() },
          'ignore',
        ),
      ),
      'The newest call at a server of which the caller is an editor. `server` is its slug.',
    ),
    samplePolicy: described(Type.Boolean(), 'True if the built-in server has the policy of the sample.'),
  },
  'ignore',
);
export type FirstServers = Static<typeof FirstServers>;
