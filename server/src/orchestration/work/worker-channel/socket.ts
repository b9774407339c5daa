import { readFrame } from '../../../http/sockets/read-frame.ts';
import type { SocketRoute } from '../../../http/sockets/websocket.ts';
import { WorkerChannel } from './channel.ts';
import { readWorkerFrame } from './frames.ts';
import { type CloseReason, closeCodes } from './schema.ts';

/** The channel between a worker and its pool. Workers without a channel use the routes of heartbeats and pools. */
export const workerChannelSocket: SocketRoute = {
  path: '/work_pools/{work_pool_name}/workers/connect',
  permission: 'work_pools:write',
  refusal: 'authentication_failed',
  open(session) {
    const close = (reason: CloseReason) => session.close(closeCodes[reason], reason);
    const target = {
      context: () => session.context(),
      send: (frame: string) => session.send(frame),
      close,
    };
    const channel = new WorkerChannel(target, session.path['work_pool_name'] ?? '');
    return {
      message(text) {
        const frame = readWorkerFrame(readFrame(text));
        // A worker sends its greeting once, as the first frame.
        if (!frame || channel.isOpen === (frame.type === 'worker.hello.v1')) return close('protocol_error');
        switch (frame.type) {
          case 'worker.hello.v1':
            return channel.greet(frame);
          case 'worker.heartbeat.v1':
            return channel.heartbeat(frame);
          default:
            return channel.operate(frame);
        }
      },
      settled: () => channel.settled(),
      closed: () => channel.close(),
    };
  },
};
