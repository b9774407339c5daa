/** A list as a file that a browser saves: its lines are read while they are sent, up to a number and a time. */
import { counted } from '../../values/counted.ts';
import { csvLine } from '../../values/csv.ts';
import { type Answer, PlainBody } from './route.ts';

type FileFormat = 'csv' | 'ndjson';

/** Lines of one file. */
const MOST_LINES = 100_000;
/** Seconds for which a file is read. */
const MOST_SECONDS = 300;

/** For the descriptions of the routes that answer a file. */
export const bounds = `The file ends after ${MOST_LINES} lines or ${MOST_SECONDS / 60} minutes, and its last line then says so: a single cell, or the member \`truncated\`.`;

interface Bounds {
  readonly lines: number;
  readonly seconds: number;
  /** A clock in milliseconds. */
  readonly elapsed: () => number;
}

/** `lines`: the line of names first if the format is `csv`. */
export function fileOf(name: string, format: FileFormat, lines: AsyncIterable<string>): Answer {
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
  const headers = { 'content-disposition': `attachment; filename="${name}.${format}"` };
  return { status: 200, body: new PlainBody(type, bounded(format, lines)), headers };
}

/** The lines up to the bounds. One that ends early has a last line that says why. */
export async function* bounded(
  format: FileFormat,
  lines: AsyncIterable<string>,
  { lines: most, seconds, elapsed }: Bounds = {
    lines: MOST_LINES,
    seconds: MOST_SECONDS,
    elapsed: () => performance.now(),
  },
): AsyncGenerator<string> {
  const end = elapsed() + seconds * 1000;
  let left = most + (format === 'csv' ? 1 : 0);
  for await (const line of lines) {
    if (left === 0) return yield lastLine(format, counted(most, 'line'));
    if (elapsed() >= end) return yield lastLine(format, counted(seconds, 'second'));
    yield line;
    left -= 1;
  }
}

function lastLine(format: FileFormat, reached: string): string {
  const sentence = `The list goes on. The file ends here after ${reached}: narrow the list to export the rest.`;
  return format === 'csv' ? csvLine([sentence]) : `${JSON.stringify({ truncated: sentence })}\n`;
}
