import { dueManifestsOf } from '../platform/servers/due-manifests.ts';
import type { Service } from './service.ts';

/** Asks hosted MCP servers that have changed what they offer. They stand above workspaces, so one pass for all is enough. */
export const manifests: Service = {
  name: 'manifests',
  everySeconds: 5,
  async runOnce({ server, workspace }) {
    if (server.config.hosting === 'off' || workspace !== server.defaultWorkspace) return false;
    return dueManifestsOf(server).begin();
  },
  stop: (server) => dueManifestsOf(server).stop(),
};
