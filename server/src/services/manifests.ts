import { dueManifestsOf } from '../platform/servers/due-manifests.ts';
import type { Service } from './service.ts';

/** Asks MCP servers that are due what they offer. They stand above workspaces, so one pass for all is enough. */
export const manifests: Service = {
  name: 'manifests',
  everySeconds: 5,
  async runOnce({ server, workspace, now }) {
    if (workspace !== server.defaultWorkspace) return false;
    return dueManifestsOf(server).begin(now);
  },
  stop: (server) => dueManifestsOf(server).stop(),
};
