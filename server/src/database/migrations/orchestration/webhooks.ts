/** Inbound webhooks and their last requests. */
export const webhooks: readonly string[] = [
  `create table webhook (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    description {text} not null,
    template {text} not null,
    enabled {boolean} not null,
    slug_hash {text} not null,
    slug_hint {text} not null,
    signature {text} not null,
    encrypted_signature_secret {text},
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade
  )`,
  'create unique index ix_webhook_slug on webhook (slug_hash)',
  'create index ix_webhook_name on webhook (workspace, name, id)',
  `create table webhook_request (
    workspace {integer} not null,
    id {uuid} not null,
    webhook_id {uuid} not null,
    received {timestamp} not null,
    refused {boolean} not null,
    status {integer} not null,
    method {text} not null,
    body_bytes {integer} not null,
    reason {text},
    event_id {uuid},
    event {text},
    primary key (workspace, id),
    foreign key (workspace, webhook_id) references webhook (workspace, id) on delete cascade
  )`,
  'create index ix_webhook_request_webhook on webhook_request (workspace, webhook_id, refused, id)',
];
