/** Typed configuration that users keep on the server. The data of a document may be a password, so it is stored encrypted. */
export const blocks: readonly string[] = [
  `create table block_type (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    slug {text} not null,
    logo_url {text},
    documentation_url {text},
    description {text},
    code_example {text},
    is_protected {boolean} not null,
    primary key (workspace, id),
    unique (workspace, slug),
    foreign key (workspace) references workspace (key) on delete cascade
  )`,
  `create table block_schema (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    checksum {text} not null,
    fields {json} not null,
    capabilities {json} not null,
    version {text} not null,
    block_type_id {uuid} not null,
    primary key (workspace, id),
    unique (workspace, checksum, version),
    foreign key (workspace, block_type_id) references block_type (workspace, id) on delete cascade
  )`,
  'create index ix_block_schema_block_type on block_schema (workspace, block_type_id)',
  'create index ix_block_schema_created on block_schema (workspace, created)',
  `create table block_schema_reference (
    workspace {integer} not null,
    parent_block_schema_id {uuid} not null,
    name {text} not null,
    position {integer} not null,
    reference_block_schema_id {uuid} not null,
    primary key (workspace, parent_block_schema_id, name, position),
    foreign key (workspace, parent_block_schema_id) references block_schema (workspace, id) on delete cascade,
    foreign key (workspace, reference_block_schema_id) references block_schema (workspace, id) on delete cascade
  )`,
  'create index ix_block_schema_reference_to on block_schema_reference (workspace, reference_block_schema_id)',
  `create table block_document (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    encrypted_data {text} not null,
    is_anonymous {boolean} not null,
    block_type_id {uuid} not null,
    block_schema_id {uuid} not null,
    primary key (workspace, id),
    unique (workspace, block_type_id, name),
    foreign key (workspace, block_type_id) references block_type (workspace, id) on delete cascade,
    foreign key (workspace, block_schema_id) references block_schema (workspace, id) on delete cascade
  )`,
  'create index ix_block_document_name on block_document (workspace, name)',
  'create index ix_block_document_block_schema on block_document (workspace, block_schema_id)',
  `create table block_document_reference (
    workspace {integer} not null,
    parent_block_document_id {uuid} not null,
    name {text} not null,
    reference_block_document_id {uuid} not null,
    primary key (workspace, parent_block_document_id, name),
    foreign key (workspace, parent_block_document_id) references block_document (workspace, id) on delete cascade,
    foreign key (workspace, reference_block_document_id) references block_document (workspace, id) on delete cascade
  )`,
  'create index ix_block_document_reference_to on block_document_reference (workspace, reference_block_document_id)',
];

/**
 * Deletes, together with a block document, the deployments and flow runs that refer to it, and the concurrency limits of
 * these deployments.
 */
const takeAlong = `
  delete from concurrency_limit where workspace = old.workspace and name in
    (select 'deployment:' || id from deployment where workspace = old.workspace
      and (infrastructure_document_id = old.id or storage_document_id = old.id));
  delete from deployment
    where workspace = old.workspace and (infrastructure_document_id = old.id or storage_document_id = old.id);
  delete from flow_run where workspace = old.workspace and infrastructure_document_id = old.id;`;

export const blocksTakeAlong = {
  sqlite: [`create trigger block_document_takes_along after delete on block_document begin ${takeAlong} end`],
  postgres: [
    `create function take_along_with_block_document() returns trigger language plpgsql as $take$
      begin ${takeAlong} return null; end $take$`,
    `create trigger block_document_takes_along after delete on block_document
        for each row execute function take_along_with_block_document()`,
  ],
};
