import type { Migration } from '../migrate.ts';

/** The link with which the first administrator makes the own account, and what a waiting device says of itself. */
export const setUp: Migration = {
  name: '0020-set-up',
  statements: [
    `create table set_up_link (
      token_hash {text} primary key,
      created {timestamp} not null,
      expires_at {timestamp} not null
    )`,
    'alter table device_authorization add column client_id {text}',
    'alter table device_authorization add column platform {text}',
    'alter table device_authorization add column address {text}',
  ],
};
