import type { Migration } from './migration.ts';

const columns = `
  workspace {integer} not null,
  number {integer} not null,
  flow_run_id {uuid},
  oldest {timestamp} not null,
  newest {timestamp} not null,
  lines {integer} not null,
  bytes {integer} not null`;

const runs = `create index ix_log_block_flow_run on log_block (workspace, flow_run_id, number)
  where flow_run_id is not null`;
const numbers = 'create index ix_log_block_number on log_block (workspace, number)';

/**
 * The words of log lines, for a search over all runs: one row for lines of one flow run that arrived together. Rows are
 * ordered by `number`, which begins with the time of their newest line. Lines of older servers are indexed after the
 * start.
 */
export const logWords: Migration = {
  name: '0025-log-words',
  readableFrom: '0009-upstream-credentials',
  statements: {
    sqlite: [
      `create table log_block (${columns}, primary key (number))`,
      runs,
      numbers,
      // Keeps the words and no text: a deleted row costs no second reading of the lines.
      `create virtual table log_words using fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
      `create trigger log_block_goes after delete on log_block begin
        delete from log_words where rowid = old.number;
      end`,
    ],
    postgres: [
      `create table log_block (${columns}, words tsvector not null)`,
      runs,
      numbers,
      'create index ix_log_block_words on log_block using gin (words)',
    ],
  },
};
