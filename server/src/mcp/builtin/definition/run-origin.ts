/** Connects a run that a tool creates with the request that called the tool. */
import { isObject } from '../../protocol/message.ts';
import type { WorkspaceApi } from './workspace-api.ts';

export const CREATE_RUN = 'POST /deployments/{id}/create_flow_run';

/** The request in which runs are created. */
export interface RunOrigin {
  readonly serverId: string;
  readonly requestId: string;
  /** Called with the id of each run that was created. */
  started(flowRunId: string): void;
}

/** Labels of a run that a tool of a built-in server created. They name the server and the request. */
const SERVER_LABEL = 'signalbox.mcp.server';
const REQUEST_LABEL = 'signalbox.mcp.request';

/** Labels the runs that the API creates, and calls `started` for each. */
export function tracingRuns(api: WorkspaceApi, origin: RunOrigin): WorkspaceApi {
  const labels = { [SERVER_LABEL]: origin.serverId, [REQUEST_LABEL]: origin.requestId };
  return {
    allows: (route, role) => api.allows(route, role),
    call: async (route, input, caller) => {
      if (route !== CREATE_RUN) return api.call(route, input, caller);
      const body = isObject(input.body) ? input.body : {};
      const run = await api.call(route, { ...input, body: { ...body, labels } }, caller);
      if (isObject(run) && typeof run['id'] === 'string') origin.started(run['id']);
      return run;
    },
  };
}
