import type { Migration } from '../migrate.ts';

/** How people who come through an identity provider are known again, and whose address has been proven. */
export const identityProviders: Migration = {
  name: '0021-identity-providers',
  statements: [
    `create table user_identity (
      issuer {text} not null,
      subject {text} not null,
      user_id {uuid} not null,
      created {timestamp} not null,
      primary key (issuer, subject),
      foreign key (user_id) references user_account (id) on delete cascade
    )`,
    'create index ix_user_identity_user on user_identity (user_id)',
    'alter table user_account add column proven_at {timestamp}',
  ],
};
