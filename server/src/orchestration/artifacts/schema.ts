import {
  DateTime,
  Enum,
  givenFieldsOnly,
  Json,
  JsonObjectOf,
  Maybe,
  Parts,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { stamps } from '../filters/field-schema.ts';
import { flag, ids, limit, offset, operator, text, texts } from '../filters/filter-schema.ts';
import { runFilters } from '../filters/related-filters.ts';

const ArtifactKey = refine(Type.String(), (key) =>
  /^[a-z0-9-]*$/.test(key) ? undefined : 'Artifact key must only contain lowercase letters, numbers, and dashes.',
);

const content = {
  type: Maybe(Type.String()),
  description: Maybe(Type.String()),
  data: Maybe(Json()),
  /** Values above 500 characters are cut before they are stored. */
  metadata_: Maybe(JsonObjectOf(Type.String())),
  flow_run_id: Maybe(Uuid()),
  task_run_id: Maybe(Uuid()),
};

export const Artifact = Shape(
  'Artifact',
  {
    id: Type.Optional(Uuid()),
    created: Maybe(DateTime()),
    updated: Maybe(DateTime()),
    key: Maybe(Type.String()),
    ...content,
  },
  'ignore',
);
export type Artifact = Static<typeof Artifact>;

/** The latest artifact of a key. `id` is the collection's, `latest_id` the artifact's. */
export const ArtifactCollection = Shape(
  'ArtifactCollection',
  { ...stamps, key: Type.String(), latest_id: Uuid(), ...content },
  'ignore',
);
export type ArtifactCollection = Static<typeof ArtifactCollection>;

export const ArtifactCreate = Shape('ArtifactCreate', { key: Maybe(ArtifactKey), ...content });
export type ArtifactCreate = Static<typeof ArtifactCreate>;

export const ArtifactUpdate = givenFieldsOnly(
  Shape('ArtifactUpdate', { data: content.data, description: content.description, metadata_: content.metadata_ }),
);
export type ArtifactUpdate = Static<typeof ArtifactUpdate>;

export const ArtifactFilter = Shape('ArtifactFilter', {
  operator,
  id: Maybe(Shape('ArtifactFilterId', { any_: ids })),
  key: Maybe(Shape('ArtifactFilterKey', { any_: texts, like_: text, exists_: flag })),
  flow_run_id: Maybe(Shape('ArtifactFilterFlowRunId', { any_: ids })),
  task_run_id: Maybe(Shape('ArtifactFilterTaskRunId', { any_: ids })),
  type: Maybe(Shape('ArtifactFilterType', { any_: texts, not_any_: texts })),
});
export type ArtifactFilter = Static<typeof ArtifactFilter>;

export const ArtifactCollectionFilter = Shape('ArtifactCollectionFilter', {
  operator,
  latest_id: Maybe(Shape('ArtifactCollectionFilterLatestId', { any_: ids })),
  key: Maybe(Shape('ArtifactCollectionFilterKey', { any_: texts, like_: text, exists_: flag })),
  flow_run_id: Maybe(Shape('ArtifactCollectionFilterFlowRunId', { any_: ids })),
  task_run_id: Maybe(Shape('ArtifactCollectionFilterTaskRunId', { any_: ids })),
  type: Maybe(Shape('ArtifactCollectionFilterType', { any_: texts, not_any_: texts })),
});
export type ArtifactCollectionFilter = Static<typeof ArtifactCollectionFilter>;

const sorts = ['CREATED_DESC', 'UPDATED_DESC', 'ID_DESC', 'KEY_DESC', 'KEY_ASC'] as const;

export const ArtifactSort = Enum('ArtifactSort', sorts);
export type ArtifactSort = Static<typeof ArtifactSort>;

export const ArtifactCollectionSort = Enum('ArtifactCollectionSort', sorts);
export type ArtifactCollectionSort = Static<typeof ArtifactCollectionSort>;

const { flows, flow_runs, task_runs, deployments } = runFilters;
const filters = { artifacts: Type.Optional(ArtifactFilter), flow_runs, task_runs, flows, deployments };
const latestFilters = { ...filters, artifacts: Type.Optional(ArtifactCollectionFilter) };

export const artifactBodies = {
  count: Parts(filters, 'Body_count_artifacts_artifacts_count_post'),
  filter: Parts(
    { sort: withDefault(ArtifactSort, 'ID_DESC'), offset, ...filters, limit },
    'Body_read_artifacts_artifacts_filter_post',
  ),
  latest_count: Parts(latestFilters, 'Body_count_latest_artifacts_artifacts_latest_count_post'),
  latest_filter: Parts(
    { sort: withDefault(ArtifactCollectionSort, 'ID_DESC'), offset, ...latestFilters, limit },
    'Body_read_latest_artifacts_artifacts_latest_filter_post',
  ),
};
