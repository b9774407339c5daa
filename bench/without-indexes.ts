/** Drops the indexes of tables while they are filled and builds them afterwards: several times quicker for a million rows. */
import { DatabaseSync } from 'node:sqlite';
// biome-ignore lint/correctness/noUndeclaredDependencies: the workspace of the server has it.
import pg from 'pg';

interface Index {
  readonly name: string;
  /** The statement that creates it. */
  readonly definition: string;
}

interface Connection {
  /** The indexes of the table that are neither a primary key nor a constraint. */
  indexesOf(table: string): Promise<Index[]>;
  run(statement: string): Promise<unknown>;
  close(): Promise<void>;
}

/** `url` as in `SIGNALBOX_DATABASE_URL`. Nothing else may use the database meanwhile. */
export async function withoutIndexes(url: string, tables: readonly string[], fill: () => Promise<void>): Promise<void> {
  const connection = url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : await openPostgres(url);
  try {
    const indexes = (await Promise.all(tables.map((table) => connection.indexesOf(table)))).flat();
    for (const { name } of indexes) await connection.run(`drop index ${name}`);
    try {
      await fill();
    } finally {
      for (const { definition } of indexes) await connection.run(definition);
    }
    await connection.run('analyze');
  } finally {
    await connection.close();
  }
}

function openSqlite(path: string): Connection {
  const database = new DatabaseSync(path);
  database.exec('pragma cache_size = -500000');
  return {
    indexesOf: async (table) =>
      database
        .prepare(
          `select name, sql as definition from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null`,
        )
        .all(table) as unknown as Index[],
    run: async (statement) => database.exec(statement),
    close: async () => database.close(),
  };
}

async function openPostgres(url: string): Promise<Connection> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set maintenance_work_mem = '512MB'");
  return {
    indexesOf: async (table) => {
      const { rows } = await client.query(
        `select indexname as name, indexdef as definition from pg_indexes
          where schemaname = current_schema() and tablename = $1
            and indexname not in (select conname from pg_constraint)`,
        [table],
      );
      return rows;
    },
    run: (statement) => client.query(statement),
    close: () => client.end(),
  };
}
