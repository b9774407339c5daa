import { http, type Resource, request } from '../generate/resource.ts';
import { path, type SymbolicObject } from '../generate/symbols.ts';

/** The requests of clients and probes about the server itself. */
export const serverInfo: Resource = {
  name: 'server info',
  actions: [
    request('GET /health', 0.2, () => http('GET /health', path`/health`)),
    request('GET /ready', 0.2, () => http('GET /ready', path`/ready`)),
    request('GET /hello', 0.2, () => http('GET /hello', path`/hello`)),
    request('GET /version', 0.2, () => http('GET /version', path`/version`)),
    request('GET /admin/version', 0.3, () => http('GET /admin/version', path`/admin/version`)),
    request('GET /admin/settings', 0.1, () => http('GET /admin/settings', path`/admin/settings`)),
    request('GET /admin/storage', 0.3, () => http('GET /admin/storage', path`/admin/storage`)),
    request('GET /csrf-token', 0.3, (world) =>
      http('GET /csrf-token', path`/csrf-token`, {
        query: world.random.pick<SymbolicObject>([{ client: world.random.uuid() }, { client: '' }, {}]),
      }),
    ),
  ],
};
