/** Records of requests to an MCP server as the gateway writes them, at times that a test chooses. */
import type { Server } from '../../src/context/context.ts';
import { Records, type RequestRecord } from '../../src/mcp/gateway/record/records.ts';
import { idAt } from '../../src/values/id.ts';
import { microsecondsOf } from '../../src/values/time.ts';

export type GivenRecord = Partial<Omit<RequestRecord, 'id' | 'server_id'>> & Pick<RequestRecord, 'occurred'>;

export async function recordRequests(
  { store, logger, hub }: Pick<Server, 'store' | 'logger' | 'hub'>,
  server_id: string,
  given: Iterable<GivenRecord>,
): Promise<void> {
  const records = new Records(store, logger, hub);
  for (const one of given) {
    records.add({
      server_id,
      id: idAt(microsecondsOf(one.occurred)),
      actor_type: 'user',
      actor_id: null,
      actor_name: null,
      method: 'tools/call',
      capability: 'echo',
      status: 200,
      error_code: null,
      decision: 'allowed',
      reason: 'no policy',
      duration_microseconds: 1000,
      request_bytes: 100,
      response_bytes: 200,
      session: null,
      client_name: null,
      client_version: null,
      protocol_version: null,
      source_id: null,
      failure: null,
      failure_text: null,
      started_run_id: null,
      ...one,
    });
  }
  await records.close();
}
