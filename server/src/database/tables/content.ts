/** The tables of data that runs produce and users keep: logs, artifacts, variables, blocks. */

export const log = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  name: 'text',
  level: 'integer',
  message: 'text',
  timestamp: 'timestamp',
  flow_run_id: 'uuid?',
  task_run_id: 'uuid?',
} as const;

/**
 * Lines of one flow run, or of none, that arrived together, and whose words are indexed as one. PostgreSQL keeps the words
 * in a further column, SQLite in `log_words`.
 */
export const log_block = {
  workspace: 'integer',
  number: 'integer',
  flow_run_id: 'uuid?',
  oldest: 'timestamp',
  newest: 'timestamp',
  lines: 'integer',
  bytes: 'integer',
} as const;

export const artifact = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  key: 'text?',
  type: 'text?',
  description: 'text?',
  data: 'json?',
  metadata_: 'json?',
  flow_run_id: 'uuid?',
  task_run_id: 'uuid?',
} as const;

/** The newest artifact of each key, with its content beside it. */
export const artifact_collection = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  key: 'text',
  latest_id: 'uuid',
  type: 'text?',
  description: 'text?',
  data: 'json?',
  metadata_: 'json?',
  flow_run_id: 'uuid?',
  task_run_id: 'uuid?',
} as const;

export const variable = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  value: 'json',
  tags: 'json',
} as const;

export const saved_search = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  filters: 'json',
} as const;

export const block_type = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  slug: 'text',
  logo_url: 'text?',
  documentation_url: 'text?',
  description: 'text?',
  code_example: 'text?',
  is_protected: 'boolean',
} as const;

/** `fields` without the definitions of nested blocks, which are the fields of other rows. */
export const block_schema = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  checksum: 'text',
  fields: 'json',
  capabilities: 'json',
  version: 'text',
  block_type_id: 'uuid',
} as const;

/** A field of a block schema that holds another block; several rows of one field are its alternatives. */
export const block_schema_reference = {
  workspace: 'integer',
  parent_block_schema_id: 'uuid',
  name: 'text',
  position: 'integer',
  reference_block_schema_id: 'uuid',
} as const;

/** `encrypted_data` is a JSON object, without the fields that hold another document. */
export const block_document = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  encrypted_data: 'text',
  is_anonymous: 'boolean',
  block_type_id: 'uuid',
  block_schema_id: 'uuid',
} as const;

export const block_document_reference = {
  workspace: 'integer',
  parent_block_document_id: 'uuid',
  name: 'text',
  reference_block_document_id: 'uuid',
} as const;
