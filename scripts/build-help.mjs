// Builds the documentation at /help from docs/ when it, or the lockfile, has changed since the last build.
import { join } from 'node:path';
import { writeSite } from './help/site.mjs';
import { buildWhenChanged, root } from './sources.mjs';

await buildWhenChanged({
  folder: join(root, 'help'),
  sources: ['site', '../scripts/help', '../dashboard/src/design', '../docs', '../CHANGELOG.md', '../SECURITY.md'],
  announcement: 'Building the documentation (when its sources have changed, about a second) ...',
  build: writeSite,
});
