/** The files of a folder that a build wrote. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { StaticFile } from './static-file.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Serves the files of a folder by their names, pages without `.html`, and `index.html` as the folder; any other path is
 * not found. A file is read at the first request for it. `pageHeaders` are extra headers of pages; without them, pages
 * are not served.
 */
export function serveFiles(
  app: FastifyInstance,
  folder: string,
  below: string,
  cacheControl: string,
  pageHeaders?: Readonly<Record<string, string>>,
): void {
  for (const name of readdirSync(folder)) {
    const extension = extname(name);
    const contentType = contentTypes[extension];
    const isPage = extension === '.html';
    if (contentType === undefined || (isPage && pageHeaders === undefined)) continue;
    const headers = isPage ? pageHeaders : undefined;
    let file: StaticFile | undefined;
    app.route({
      method: ['GET', 'HEAD'],
      url: below + (isPage ? name.replace(/^index\.html$|\.html$/, '') : name),
      handler: (request, reply) => {
        file ??= new StaticFile(readFileSync(`${folder}/${name}`), contentType, cacheControl, headers);
        return file.send(request, reply);
      },
    });
  }
}
