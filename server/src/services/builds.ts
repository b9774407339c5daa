import { buildsOf } from '../mcp/hosting/builds/builds.ts';
import type { Service } from './service.ts';

/** Builds hosted MCP servers. They stand above workspaces, so one pass for all is enough. */
export const builds: Service = {
  name: 'builds',
  everySeconds: 5,
  async runOnce({ server, workspace }) {
    if (server.config.hosting === 'off' || workspace !== server.defaultWorkspace) return false;
    return buildsOf(server).begin();
  },
  stop: (server) => buildsOf(server).stop(),
};
