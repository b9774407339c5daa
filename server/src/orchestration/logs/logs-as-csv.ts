import { leavingLargeValues, readWholeText } from '../../database/lists/large-values.ts';
import type { Db } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { pagesOfRunLogs } from './queries.ts';

const PAGE_SIZE = 1000;
/** A longer piece is sent before the page ends. */
const PIECE_CHARACTERS = 256 * 1024;
const HEADER = 'timestamp,level,flow_run_id,task_run_id,message\r\n';

/**
 * The logs of a flow run as CSV (RFC 4180), oldest first, in pieces: the header, then lines. A run without logs, or an
 * unknown run, gives only the header. Columns and the format of times are those of the Prefect server 3.9.1.
 */
export async function* logsAsCsv(db: Db, flowRunId: string): AsyncGenerator<string> {
  yield HEADER;
  for await (const logs of pagesOfRunLogs(leavingLargeValues(db), flowRunId, PAGE_SIZE)) {
    let text = '';
    for (const log of logs) {
      const message = await readWholeText(db, log.message);
      if (text.length > PIECE_CHARACTERS) {
        yield text;
        text = '';
      }
      text += `${spokenTime(log.timestamp)},${log.level},${log.flow_run_id ?? ''},${log.task_run_id ?? ''},${field(message)}\r\n`;
    }
    yield text;
  }
}

/** The `content-disposition` of a download of a run's logs; `name` is the run's. */
export function logsDisposition(name: string): string {
  const encoded = encodeURIComponent(`${name.toWellFormed()}-logs.csv`).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="flow-run-logs.csv"; filename*=UTF-8''${encoded}`;
}

/** `2026-11-20 15:59:20.431760+00:00`; without a fraction when it is zero. */
function spokenTime(timestamp: Timestamp): string {
  const fraction = timestamp.slice(19, 26);
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)}${fraction === '.000000' ? '' : fraction}+00:00`;
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
