/** The interfaces in the Prefect package, served as its own server does, for any API. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

/** Placeholder in the built files for the path below which they are served. */
const BASE_PLACEHOLDER = '/PREFECT_UI_SERVE_BASE_REPLACE_PLACEHOLDER';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.webmanifest': 'application/json',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};
const textTypes = new Set(['.html', '.js', '.css', '.json', '.webmanifest']);

export interface PrefectUi {
  /** `http://127.0.0.1:43210`; the older interface is at its root, the newer one below `/v2`. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Throws when `python` has no Prefect with both interfaces. */
export async function servePrefectUi(python: string, apiUrl: string): Promise<PrefectUi> {
  const find = "from importlib.util import find_spec; print(find_spec('prefect').submodule_search_locations[0])";
  const folder = join(execFileSync(python, ['-c', find], { encoding: 'utf8' }).trim(), 'server');
  const v1 = { folder: join(folder, 'ui'), base: '' };
  const v2 = { folder: join(folder, 'ui-v2'), base: '/v2' };
  for (const { folder: one } of [v1, v2]) {
    if (!existsSync(join(one, 'index.html'))) throw new Error(`There is no interface in ${one}.`);
  }
  const settings = JSON.stringify({
    api_url: apiUrl,
    csrf_enabled: false,
    auth: null,
    flags: [],
    default_ui: 'v2',
    available_uis: ['v1', 'v2'],
    v1_base_url: '/',
    v2_base_url: '/v2',
  });
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent((request.url ?? '/').replace(/\?.*/, ''));
    if (path === '/ui-settings') {
      response.setHeader('content-type', 'application/json').end(settings);
      return;
    }
    const ui = path === '/v2' || path.startsWith('/v2/') ? v2 : v1;
    const { type, body } = await fileOf(ui, path.slice(ui.base.length));
    // Names of built files change with their content.
    if (path.includes('/assets/')) response.setHeader('cache-control', 'max-age=3600, immutable');
    response.setHeader('content-type', type).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The script of an interface makes its pages, so every path that is not a file serves the start page. */
async function fileOf({ folder, base }: { folder: string; base: string }, path: string) {
  const named = normalize(join(folder, path));
  const isFile = named.startsWith(folder) && extname(named) !== '' && existsSync(named);
  const file = isFile ? named : join(folder, 'index.html');
  const extension = extname(file);
  const content = await readFile(file);
  const body = textTypes.has(extension) ? content.toString().replaceAll(BASE_PLACEHOLDER, base) : content;
  return { type: types[extension] ?? 'application/octet-stream', body };
}
