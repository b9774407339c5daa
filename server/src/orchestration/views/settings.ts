/** The settings of this server that its users need. None of them is secret. */
import type { Context } from '../../context/context.ts';
import { RETENTION_KINDS } from '../../settings/services.ts';
import { VERSION } from '../../values/versions.ts';
import { blockDocuments } from '../blocks/documents/queries.ts';
import { readResultStorage } from '../blocks/result-storage.ts';

export async function readSettingsView({ db, server }: Context) {
  const { config } = server;
  const seconds = {
    events: config.eventRetentionSeconds,
    logs: config.runRetentionSeconds,
    orphans: null,
    flow_runs: config.runRetentionSeconds,
    mcp_requests: config.mcpRequestRetentionSeconds,
  };
  const { default_result_storage_block_id: id } = await readResultStorage(db);
  const storage = id === null ? undefined : await blockDocuments.first(db, { id });
  return {
    version: VERSION,
    database: db.dialect.title,
    access: config.apiAuth,
    retention: RETENTION_KINDS.map((kind) => ({
      kind,
      is_deleted: config.retention.has(kind),
      seconds: seconds[kind],
    })),
    limits: {
      page_size: config.apiMaxLimit,
      parameter_bytes: config.maxParameterBytes,
      body_bytes: config.maxBodyBytes,
    },
    result_storage: storage ? { id: storage.id, name: storage.name } : null,
  };
}
