/** The imports of the server's and the dashboard's files, as text: type-only ones included, tests left out. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Import {
  /** Both relative to the folder of sources. */
  readonly file: string;
  readonly target: string;
}

export const sources = join(import.meta.dirname, '../../src');
export const { files, imports } = importsIn(sources);
export const dashboard = importsIn(join(import.meta.dirname, '../../../dashboard/src'));

function importsIn(folder: string): { readonly files: readonly string[]; readonly imports: readonly Import[] } {
  const files = globSync('**/*.{ts,tsx}', { cwd: folder }).filter((file) => !/\.test\.tsx?$/.test(file));
  return { files, imports: files.flatMap((file) => importsOf(folder, file)) };
}

function importsOf(folder: string, file: string): Import[] {
  const code = readFileSync(join(folder, file), 'utf8');
  const specifiers = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g);
  return [...specifiers].map(([, specifier = '']) => ({ file, target: join(dirname(file), specifier) }));
}
