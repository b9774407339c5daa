import type { Migration } from '../migrate.ts';

export const workspaces: Migration = {
  name: '0001-workspaces',
  statements: [
    `create table workspace (
      key {integer} primary key,
      id {uuid} not null unique,
      created {timestamp} not null,
      updated {timestamp} not null,
      name {text} not null
    )`,
    `create table configuration (
      workspace {integer} not null,
      key {text} not null,
      value {json} not null,
      primary key (workspace, key),
      foreign key (workspace) references workspace (key) on delete cascade
    )`,
  ],
};
