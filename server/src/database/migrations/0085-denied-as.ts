import type { Migration } from '../migrate.ts';

/** How a server answers a name that its capability policy denies: `forbidden` (403) or `unknown` (as a missing name). */
export const deniedAs: Migration = {
  name: '0085-denied-as',
  statements: [`alter table mcp_server add column denied_as {text} not null default 'forbidden'`],
};
