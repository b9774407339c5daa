import type { Migration } from '../migrate.ts';

/** Attempts at credentials, counted for all replicas, and the browsers that have signed a person in before. */
export const attempts: Migration = {
  name: '0075-attempts',
  statements: [
    `create table attempt (
      key {text} primary key,
      full_until {integer} not null
    )`,
    'create index ix_attempt_full_until on attempt (full_until)',
    `create table known_device (
      token_hash {text} not null,
      user_id {uuid} not null,
      created {timestamp} not null,
      expires_at {timestamp} not null,
      primary key (token_hash, user_id),
      foreign key (user_id) references user_account (id) on delete cascade
    )`,
    'create index ix_known_device_user on known_device (user_id)',
    'create index ix_known_device_expires on known_device (expires_at)',
  ],
};
