import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** Runs SQL on the database behind an address: several statements at once where none of them answers rows. */
export async function execute(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const isQuery = /^\s*select/i.test(sql);
  if (url.startsWith('sqlite:')) {
    const file = new DatabaseSync(url.slice('sqlite:'.length));
    try {
      if (isQuery)
        return file
          .prepare(sql)
          .all()
          .map((row) => ({ ...row }));
      // Nobody cuts the power.
      file.exec('pragma synchronous = off');
      file.exec(sql);
      return [];
    } finally {
      file.close();
    }
  }
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: () => readValue } as never });
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return isQuery ? rows : [];
  } finally {
    await client.end();
  }
}

/** Counts and lengths as numbers. */
function readValue(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}
