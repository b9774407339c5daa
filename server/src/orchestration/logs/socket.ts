import { LiveFrame } from '../../changes/live-frame.ts';
import { PROTOCOL_ERROR, readFilterMessage } from '../../http/sockets/filter-message.ts';
import type { SocketRoute } from '../../http/sockets/websocket.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { compileEncoder } from '../../schema/encode.ts';
import { compileLiveLogFilter } from './live-filter.ts';
import type { LogRow } from './queries.ts';
import { Log, LogFilter } from './schema.ts';

const decodeFilter = compileDecoder(LogFilter, 'body');
const encodeLog = compileEncoder(Log);

/** Each log is encoded into a frame once, for all subscribers of a process. */
const frames = new WeakMap<LogRow, LiveFrame>();

function frameOf(log: LogRow): LiveFrame {
  let frame = frames.get(log);
  if (!frame) {
    frame = new LiveFrame(`{"type":"log","log":${encodeLog({ ...log, updated: log.created })}}`);
    frames.set(log, frame);
  }
  return frame;
}

/** Sends the new logs that match the filter in the first frame. Later frames are ignored. */
export const logSocket: SocketRoute = {
  path: '/logs/out',
  permission: 'logs:read',
  open(session) {
    let unsubscribe: (() => void) | undefined;
    return {
      message(text) {
        if (unsubscribe) return;
        const message = readFilterMessage(text, decodeFilter);
        if (typeof message === 'string') return session.close(PROTOCOL_ERROR, message);
        const context = session.context();
        const matches = compileLiveLogFilter(message.filter);
        unsubscribe = context.server.hub.hear(
          'logs',
          context.workspace,
          (log, _, work) => {
            if (matches(log, work)) session.send(frameOf(log));
          },
          { caller: context.caller, end: session.fail },
        );
      },
      closed: () => unsubscribe?.(),
    };
  },
};
