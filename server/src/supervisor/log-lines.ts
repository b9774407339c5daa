/** Passes the log of a process on, line by line, so that lines of several processes do not mix. */
import type { Readable } from 'node:stream';
import { guarded } from '../watching/background.ts';
import type { LogSink } from '../watching/logger.ts';

/** A longer line is passed on in pieces. */
const MOST_BYTES = 1024 * 1024;
const NEWLINE = 10;

/**
 * Lines of the log are JSON and name their process. Others, such as the last words of a process that Node ends, get its
 * name before them.
 */
export function passLines(from: Readable, name: string, sink: Pick<LogSink, 'write' | 'whenFree'>): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  const pass = () => {
    const line = Buffer.concat(parts).toString('utf8');
    parts = [];
    bytes = 0;
    if (line === '') return;
    const isFree = sink.write(`${line.startsWith('{') ? line : `${name}: ${line}`}\n`);
    if (isFree) return;
    // Its process then waits, as one does whose own log is not read.
    from.pause();
    sink.whenFree(guarded('the log of a process', () => from.resume()));
  };
  const add = (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MOST_BYTES) pass();
  };
  from.on(
    'data',
    guarded('the log of a process', (piece: Buffer) => {
      let begin = 0;
      for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, begin)) {
        add(piece.subarray(begin, end));
        pass();
        begin = end + 1;
      }
      if (begin < piece.length) add(piece.subarray(begin));
    }),
  );
  from.once('end', guarded('the end of the log of a process', pass));
}
