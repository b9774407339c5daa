import { described, Nullable, OneOf, Shape, Type, Uuid } from '../../schema/kinds.ts';

export const SettingsView = Shape(
  'SettingsView',
  {
    version: described(Type.String(), 'Version of this server.'),
    reference_version: described(Type.String(), 'Version of the Prefect server whose API this server implements.'),
    database: described(Type.String(), 'The database of this server: SQLite or PostgreSQL.'),
    access: described(
      OneOf(['open', 'basic', 'key']),
      'Who may use the API: everyone, those with the password, or those with a key.',
    ),
    retention: described(
      Type.Array(
        Shape(
          'RetentionRule',
          {
            kind: OneOf(['events', 'logs', 'orphans', 'flow_runs', 'mcp_requests']),
            is_deleted: described(Type.Boolean(), 'Whether the server deletes old objects.'),
            seconds: described(
              Nullable(Type.Integer()),
              'Age at which an object is old; null if it is deleted at once.',
            ),
          },
          'ignore',
        ),
      ),
      'The retention of each kind of object.',
    ),
    limits: described(
      Shape(
        'ServerLimits',
        { page_size: Type.Integer(), parameter_bytes: Type.Integer(), body_bytes: Type.Integer() },
        'ignore',
      ),
      'The largest page of a list, and the maximum bytes of the parameters of a run and of a request.',
    ),
    result_storage: described(
      Nullable(Shape('ResultStorageBlock', { id: Uuid(), name: Type.String() }, 'ignore')),
      'The block for the results of flows that name no storage.',
    ),
  },
  'ignore',
);
