import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { ASK_FIRST, StaticFile } from './static-file.ts';

const PAGE = new URL('../../../dashboard/src/index.html', import.meta.url);

/** Serves the start page at `/`. It is one file; its content policy lets it load nothing. */
export function serveDashboard(app: FastifyInstance): void {
  const html = readFileSync(PAGE, 'utf8');
  const page = new StaticFile(html, 'text/html; charset=utf-8', ASK_FIRST, {
    'content-security-policy': contentSecurityPolicy(html),
  });
  app.route({ method: ['GET', 'HEAD'], url: '/', handler: (request, reply) => page.send(request, reply) });
}

/** Allows the page's own inline style and script, by their digests, and its icon. */
function contentSecurityPolicy(html: string): string {
  const digests = (element: string) =>
    [...html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(
      ([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
    );
  return [
    "default-src 'none'",
    `style-src ${digests('style').join(' ')}`,
    `script-src ${digests('script').join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
