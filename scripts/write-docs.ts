/** `npm run docs` */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from './reference-pages.ts';

for (const [path, text] of Object.entries(referencePages())) {
  writeFileSync(join(import.meta.dirname, '..', path), text);
  console.log(path);
}
