/** Lists of artifacts with the names of their runs and without their data, which may be large. */
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { and, type Condition } from '../../database/dialect/dialect.ts';
import type { Db } from '../../database/store.ts';
import type { ArtifactRow, ArtifactsViewBody } from './artifacts-schema.ts';

/** Reads one row more than the page has, to detect a next page. */
export async function readArtifactPage({ db }: Context, body: ArtifactsViewBody) {
  const isOfLatest = !body.key && !body.flow_run_id && !body.task_run_id;
  const found = await (isOfLatest ? listLatest(db, body) : listVersions(db, body));
  const artifacts = found.slice(0, body.limit);
  const last = found.length > body.limit ? artifacts.at(-1) : undefined;
  const time = isOfLatest ? last?.updated : last?.created;
  return { artifacts, next: last && time ? { time, id: last.id } : null };
}

const DESCRIPTION_LENGTH = 300;
/** Longest data that is read as a number; other data may have megabytes. */
const PROGRESS_BYTES = 100;

const rowColumns = sql`artifact.key, artifact.type,
  substr(artifact.description, 1, ${sql.lit(DESCRIPTION_LENGTH)}) as description,
  case when artifact.type = 'progress' and octet_length(artifact.data) <= ${sql.lit(PROGRESS_BYTES)} then artifact.data end
    as progress, artifact.created, artifact.updated,
  artifact.flow_run_id, flow_run.name as flow_run_name, flow.name as flow_name, artifact.task_run_id,
  task_run.name as task_run_name`;

const rowJoins = sql`left join flow_run on flow_run.workspace = artifact.workspace and flow_run.id = artifact.flow_run_id
  left join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
  left join task_run on task_run.workspace = artifact.workspace and task_run.id = artifact.task_run_id`;

/** A workspace has few keys, so they are sorted without an index. */
function listLatest(db: Db, body: ArtifactsViewBody): Promise<ArtifactRow[]> {
  const { after } = body;
  const condition = and([
    ...conditionsOf(db, body),
    ...(after
      ? [
          sql<boolean>`(artifact.updated < ${after.time} or (artifact.updated = ${after.time} and artifact.latest_id < ${after.id}))`,
        ]
      : []),
  ]);
  return db.query(
    sql<ArtifactRow>`select artifact.latest_id as id, ${rowColumns} from artifact_collection artifact ${rowJoins}
      where artifact."workspace" = ${db.workspace} and ${condition}
      order by artifact.updated desc, artifact.latest_id desc limit ${body.limit + 1}`,
  );
}

function listVersions(db: Db, body: ArtifactsViewBody): Promise<ArtifactRow[]> {
  const { after, key, flow_run_id, task_run_id } = body;
  const condition = and([
    ...conditionsOf(db, body),
    ...(key ? [sql<boolean>`artifact.key = ${key}`] : []),
    ...(flow_run_id ? [sql<boolean>`artifact.flow_run_id = ${flow_run_id}`] : []),
    ...(task_run_id ? [sql<boolean>`artifact.task_run_id = ${task_run_id}`] : []),
    ...(after
      ? [
          sql<boolean>`(artifact.created < ${after.time} or (artifact.created = ${after.time} and artifact.id < ${after.id}))`,
        ]
      : []),
  ]);
  // Keys and runs have few artifacts: the index of the key or run finds them, not the one of all times.
  const created = key ? sql`artifact.created` : db.dialect.unindexed(sql`artifact.created`);
  return db.query(
    sql<ArtifactRow>`select artifact.id, ${rowColumns} from artifact ${rowJoins}
      where artifact."workspace" = ${db.workspace} and ${condition}
      order by ${created} desc, artifact.id desc limit ${body.limit + 1}`,
  );
}

function conditionsOf({ dialect }: Db, { text, types }: ArtifactsViewBody): Condition[] {
  return [
    ...(text ? [dialect.containsLiterally(sql`artifact.key`, text)] : []),
    ...(types ? [dialect.oneOf(sql`artifact.type`, types, 'text')] : []),
  ];
}
