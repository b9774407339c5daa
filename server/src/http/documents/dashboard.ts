/**
 * Serves the dashboard: one page for all of its addresses, and the files that the page loads, written by `npm run build
 * -w dashboard`. Its content policy lets it load nothing from elsewhere.
 */

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../../context/context.ts';
import { DASHBOARD_FOLDER } from '../../folders.ts';
import { program } from '../../invocation.ts';
import { publicPathOf } from '../../network/client-route.ts';
import { html } from '../../pages/html.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import { VERSION } from '../../values/versions.ts';
import { pageHeaders } from '../answer/page-headers.ts';
import { ASK_FIRST, KEEP_FOREVER, StaticFile } from './static-file.ts';
import { serveFiles } from './static-files.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Pages differ only by the path below which a proxy serves them; there are few. */
const MOST_PAGES = 20;

export type AnswerPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Serves the files, and returns a function that answers a request with the page. */
export function serveDashboard(
  app: FastifyInstance,
  server: Server,
  folder = fileURLToPath(DASHBOARD_FOLDER),
): AnswerPage {
  const template = existsSync(`${folder}/index.html`) ? readFileSync(`${folder}/index.html`, 'utf8') : undefined;
  if (template !== undefined) {
    serveFiles(app, `${folder}/assets`, '/assets/', KEEP_FOREVER);
    serveFiles(app, folder, '/', ASK_FIRST);
  }
  const pages = new BoundedMap<string, StaticFile>({ name: 'pages', most: MOST_PAGES });
  const answerPage: AnswerPage = async (request, reply) => {
    const prefix = publicPathOf(server.config, request.raw);
    const hasAccounts = await server.targets.accountExists();
    const key = `${hasAccounts} ${prefix}`;
    let page = pages.get(key);
    if (!page) {
      // A reader of the page may know paths of this machine only while everyone may do everything.
      const called = hasAccounts ? {} : { program: program() };
      const facts = { version: VERSION, apiAuth: server.config.apiAuth, hasAccounts, ...called };
      page = pageFile(template === undefined ? NOT_BUILT : written(template, prefix, facts));
      pages.set(key, page);
    }
    return page.send(request, reply);
  };
  app.route({ method: ['GET', 'HEAD'], url: '/', handler: answerPage });
  return answerPage;
}

function pageFile(content: string): StaticFile {
  return new StaticFile(content, 'text/html; charset=utf-8', ASK_FIRST, pageHeaders(CONTENT_SECURITY_POLICY));
}

/** The page with its own address and its initial facts. `<` could end the element that contains them. */
function written(template: string, prefix: string, facts: object): string {
  const json = JSON.stringify(facts).replaceAll('<', '\\u003c');
  return template
    .replace('<base href="/">', () => html`<base href="${prefix}/">`.text)
    .replace('id="server-facts">{}', () => `id="server-facts">${json}`);
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Signalbox</title></head>
  <body>
    <h1>Signalbox</h1>
    <p>The server runs, but its dashboard is not built: <code>npm start</code> builds it.</p>
    <p><a href="docs">The API</a> works.</p>
  </body>
</html>
`;
