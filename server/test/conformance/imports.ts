/** The imports of the server's files, as text: type-only ones included, tests left out. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const sources = join(import.meta.dirname, '../../src');

export interface Import {
  /** Both relative to `server/src`. */
  readonly file: string;
  readonly target: string;
}

export const files: readonly string[] = globSync('**/*.ts', { cwd: sources }).filter(
  (file) => !file.endsWith('.test.ts'),
);

export const imports: readonly Import[] = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const code = readFileSync(join(sources, file), 'utf8');
  const specifiers = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g);
  return [...specifiers].map(([, specifier = '']) => ({ file, target: join(dirname(file), specifier) }));
}
