import type { ClientInfo } from '../../../context/context.ts';
import { jsonTextOf, parseObject } from '../../../values/json.ts';
import { isAtLeast } from '../../../values/versions.ts';
import { hasStatus, type WorkPoolNow } from './queries.ts';

/** A pool in the shape of `WorkPoolResponse`. Pools of agents have no status: agents send no heartbeats. */
export function workPoolResponse(pool: WorkPoolNow, client: ClientInfo) {
  return {
    ...pool,
    status: hasStatus(pool) ? pool.status_now : null,
    storage_configuration: storageFor(pool, client),
  };
}

/** Clients up to 3.3.7 refuse an unknown key; `work-pools.test.ts` shows the answers that they get. */
function storageFor({ storage_configuration }: WorkPoolNow, { version }: ClientInfo) {
  if (version === undefined || isAtLeast(version, '3.3.8')) return storage_configuration;
  const { default_result_storage_block_id: _, ...known } = parseObject(storage_configuration);
  return jsonTextOf(known);
}
