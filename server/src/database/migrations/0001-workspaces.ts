import type { Migration } from '../migrate.ts';

export const workspaces: Migration = {
  name: '0001-workspaces',
  statements: [
    `create table organization (
      id {uuid} primary key,
      created {timestamp} not null,
      updated {timestamp} not null,
      name {text} not null,
      slug {text} not null unique
    )`,
    `create table workspace (
      key {integer} primary key,
      id {uuid} not null unique,
      created {timestamp} not null,
      updated {timestamp} not null,
      name {text} not null,
      organization_id {uuid} not null,
      handle {text} not null,
      description {text} not null,
      default_role {text},
      unique (organization_id, handle),
      foreign key (organization_id) references organization (id) on delete cascade
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
