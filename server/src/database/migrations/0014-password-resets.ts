import type { Migration } from './migration.ts';

/** Links with which a person chooses a new password, which the server mails. */
export const passwordResets: Migration = {
  name: '0014-password-resets',
  readableFrom: '0009-upstream-credentials',
  statements: [
    `create table password_reset (
      token_hash {text} primary key,
      created {timestamp} not null,
      user_id {uuid} not null,
      expires_at {timestamp} not null,
      foreign key (user_id) references user_account (id) on delete cascade
    )`,
    'create index ix_password_reset_user on password_reset (user_id)',
  ],
};
