import {
  DateTime,
  described,
  Json,
  Maybe,
  Nullable,
  Parts,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';

export const ArtifactRow = Shape(
  'ArtifactRow',
  {
    id: Uuid(),
    key: Nullable(Type.String()),
    type: Nullable(Type.String()),
    description: described(Nullable(Type.String()), 'The first 300 characters.'),
    progress: described(
      Nullable(Json()),
      'The data of a progress artifact; null for other artifacts and for data too long for a number.',
    ),
    created: DateTime(),
    updated: DateTime(),
    flow_run_id: Nullable(Uuid()),
    flow_run_name: described(Nullable(Type.String()), 'Null also for a run that was deleted.'),
    flow_name: Nullable(Type.String()),
    task_run_id: Nullable(Uuid()),
    task_run_name: Nullable(Type.String()),
  },
  'ignore',
);
export type ArtifactRow = Static<typeof ArtifactRow>;

/** The position between a page of artifacts and the next. */
const ArtifactPosition = Shape('ArtifactPosition', { time: DateTime(), id: Uuid() }, 'ignore');

export const ArtifactsViewBody = Parts(
  {
    key: described(
      Maybe(Type.String()),
      'Every version of this key. Without it and without a run: the newest of each key.',
    ),
    flow_run_id: described(Maybe(Uuid()), 'Every artifact of this flow run, with or without a key.'),
    task_run_id: described(Maybe(Uuid()), 'Every artifact of this task run.'),
    text: described(Maybe(Type.String()), 'Part of the key.'),
    types: described(Maybe(Type.Array(Type.String())), 'Only these types.'),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 200 }), 100),
    after: described(Maybe(ArtifactPosition), 'The `next` of the previous page.'),
  },
  'Body_read_artifacts_view_views_artifacts_post',
);
export type ArtifactsViewBody = Static<typeof ArtifactsViewBody>;

export const ArtifactsView = Shape(
  'ArtifactsView',
  {
    artifacts: described(Type.Array(ArtifactRow), 'Newest first, without their data.'),
    next: Nullable(ArtifactPosition),
  },
  'ignore',
);
