import { described, Nullable, OneOf, Shape, Type, Uuid } from '../../schema/kinds.ts';

export const SettingsView = Shape(
  'SettingsView',
  {
    version: described(Type.String(), 'Of this program.'),
    reference_version: described(Type.String(), 'The version of the Prefect server whose API this is.'),
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
            is_deleted: described(Type.Boolean(), 'Whether the server deletes what is old.'),
            seconds: described(Nullable(Type.Integer()), 'Age at which it is old; null for what is deleted at once.'),
          },
          'ignore',
        ),
      ),
      'What is kept, and for how long.',
    ),
    limits: described(
      Shape(
        'ServerLimits',
        { page_size: Type.Integer(), parameter_bytes: Type.Integer(), body_bytes: Type.Integer() },
        'ignore',
      ),
      'The largest page of a list, and the most bytes of the parameters of a run and of a request.',
    ),
    result_storage: described(
      Nullable(Shape('ResultStorageBlock', { id: Uuid(), name: Type.String() }, 'ignore')),
      'The block that keeps the results of flows that name none.',
    ),
  },
  'ignore',
);
