/**
 * Serves the documentation at `/help`, written by `scripts/build-help.mjs`: plain files with relative addresses, which
 * work below any path of a proxy. Everyone who reaches the server may read it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { HELP_FOLDER } from '../../folders.ts';
import { pageHeaders } from '../answer/page-headers.ts';
import { ASK_FIRST, KEEP_FOREVER, StaticFile } from './static-file.ts';
import { serveFiles } from './static-files.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = pageHeaders(CONTENT_SECURITY_POLICY);

export function serveHelp(app: FastifyInstance, folder = fileURLToPath(HELP_FOLDER)): void {
  const method = ['GET', 'HEAD'];
  // The links of the first page are relative to its folder.
  app.route({ method, url: '/help', handler: (_request, reply) => reply.redirect('help/', 307) });
  const missing = new StaticFile(NO_PAGE, 'text/html; charset=utf-8', ASK_FIRST, headers);
  app.route({ method, url: '/help/:page', handler: (request, reply) => missing.send(request, reply.code(404)) });
  if (!existsSync(`${folder}/index.html`)) {
    const notBuilt = new StaticFile(NOT_BUILT, 'text/html; charset=utf-8', ASK_FIRST, headers);
    app.route({ method, url: '/help/', handler: (request, reply) => notBuilt.send(request, reply) });
    return;
  }
  serveFiles(app, folder, '/help/', ASK_FIRST, headers);
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    serveFiles(app, `${folder}/${name}`, `/help/${name}/`, name === 'assets' ? KEEP_FOREVER : ASK_FIRST);
  }
}

const NO_PAGE = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Signalbox documentation</title></head>
  <body><h1>There is no such page</h1><p><a href="./">All pages of the documentation</a></p></body>
</html>
`;

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Signalbox documentation</title></head>
  <body><h1>The documentation is not built</h1><p><code>npm start</code> builds it.</p></body>
</html>
`;
