/** The fields by which log lines are narrowed. */
import { sql } from 'kysely';
import { type Condition, type Expression, or, type SqlDialect } from '../../../database/dialect/dialect.ts';
import { isOneOfTexts, type WhereField } from '../../../database/lists/where.ts';
import { isUuid, normalUuid } from '../../../values/id.ts';

export const logFieldNames = ['level', 'flow', 'deployment', 'run', 'task', 'logger'] as const;
export type LogField = (typeof logFieldNames)[number];

/** The least level of each word, as in Python's logging. */
export const logLevels = { debug: 10, info: 20, warning: 30, error: 40, critical: 50 } as const;
type LevelName = keyof typeof logLevels;

/** The least level that one of the values names. */
export function leastLevel(values: readonly string[]): number {
  return Math.min(...values.map((value) => logLevels[value.toLowerCase() as LevelName]));
}

type OneOf = (values: readonly string[], dialect: SqlDialect) => Condition;

/** The fields of the flow run of a line, as conditions on `flow_run`. */
export const runFields: Readonly<Record<'flow' | 'deployment' | 'run', OneOf>> = {
  flow: (values, dialect) => {
    const { ids, names } = parted(values);
    const named = sql`(select id from flow where flow.workspace = flow_run.workspace
      and ${dialect.oneOf(sql`flow.name`, names, 'text')})`;
    return either('flow_run.flow_id', { ids, named: names.length > 0 ? named : undefined }, dialect);
  },
  /** By id, by name, or by `flow/deployment`. */
  deployment: (values, dialect) => {
    const { ids, names } = parted(values);
    const whole = sql`flow.name || '/' || deployment.name`;
    const named = sql`(select deployment.id from deployment
      join flow on flow.workspace = deployment.workspace and flow.id = deployment.flow_id
      where deployment.workspace = flow_run.workspace
        and ${or([dialect.oneOf(sql`deployment.name`, names, 'text'), dialect.oneOf(whole, names, 'text')])})`;
    return either('flow_run.deployment_id', { ids, named: names.length > 0 ? named : undefined }, dialect);
  },
  run: (values, dialect) => {
    const { ids, names } = parted(values);
    return or([
      ...(ids.length > 0 ? [dialect.oneOf(sql`flow_run.id`, ids, 'uuid')] : []),
      ...(names.length > 0 ? [dialect.oneOf(sql`flow_run.name`, names, 'text')] : []),
    ]);
  },
};

function ofRun(field: keyof typeof runFields): WhereField {
  return {
    hasOneOf: (values, dialect) => sql<boolean>`exists (select 1 from flow_run
      where flow_run.workspace = log.workspace and flow_run.id = log.flow_run_id
        and ${runFields[field](values, dialect)})`,
  };
}

export const logFields: Readonly<Record<LogField, WhereField>> = {
  level: {
    problemOf: (value) =>
      Object.hasOwn(logLevels, value.toLowerCase()) ? undefined : `one of ${Object.keys(logLevels).join(', ')}`,
    hasOneOf: (values) => sql<boolean>`log.level >= ${sql.lit(leastLevel(values))}`,
  },
  flow: ofRun('flow'),
  deployment: ofRun('deployment'),
  run: ofRun('run'),
  task: {
    hasOneOf: (values, dialect) => {
      const { ids, names } = parted(values);
      const name = sql`task_run.name`;
      // Clients add a number, or letters, to the name of the task.
      const named = or(
        names.flatMap((one) => [sql<boolean>`${name} = ${one}`, dialect.startsWithLiterally(name, `${one}-`)]),
      );
      const byName =
        names.length > 0
          ? [
              sql<boolean>`exists (select 1 from task_run where task_run.workspace = log.workspace
                and task_run.id = log.task_run_id and ${named})`,
            ]
          : [];
      return or([...(ids.length > 0 ? [dialect.oneOf(sql`log.task_run_id`, ids, 'uuid')] : []), ...byName]);
    },
  },
  logger: { hasOneOf: (values, dialect) => isOneOfTexts(sql`log.name`, values, dialect) },
};

function parted(values: readonly string[]): { readonly ids: readonly string[]; readonly names: readonly string[] } {
  return { ids: values.filter(isUuid).map(normalUuid), names: values.filter((value) => !isUuid(value)) };
}

interface Among {
  readonly ids: readonly string[];
  readonly named: Expression | undefined;
}

function either(column: string, { ids, named }: Among, dialect: SqlDialect): Condition {
  return or([
    ...(ids.length > 0 ? [dialect.oneOf(sql.ref(column), ids, 'uuid')] : []),
    ...(named ? [sql<boolean>`${sql.ref(column)} in ${named}`] : []),
  ]);
}
