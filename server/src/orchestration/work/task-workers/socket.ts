import { readFrame } from '../../../http/sockets/read-frame.ts';
import type { SocketRoute } from '../../../http/sockets/websocket.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { taskRunResponse } from '../../runs/task-runs/response.ts';
import { TaskRun } from '../../runs/task-runs/schema.ts';
import { SubscribeMessage } from './schema.ts';
import { TaskSubscription } from './subscription.ts';

/** Close codes. Source: the socket `/task_runs/subscriptions/scheduled` of the Prefect server 3.9.1. */
const PROTOCOL_VIOLATION = 4001;
const NORMAL = 1000;

const decodeSubscribe = compileDecoder(SubscribeMessage, 'body');
const encodeRun = compileEncoder(TaskRun);

/** Sends background task runs to a task worker: after `subscribe` one run per frame, each answered by `ack`. */
export const taskWorkerSocket: SocketRoute = {
  path: '/task_runs/subscriptions/scheduled',
  permission: 'task_runs:write',
  open(session) {
    let subscription: TaskSubscription | undefined;
    const violation = (expected: string) =>
      session.close(PROTOCOL_VIOLATION, `Protocol violation: expected ${expected}`);
    return {
      message(text) {
        const message = readFrame(text);
        if (subscription) {
          if (message?.['type'] === 'ack') return subscription.confirm();
          return message?.['type'] === 'quit' ? session.close(NORMAL, '') : violation("'ack' message");
        }
        if (message?.['type'] !== 'subscribe') return violation("'subscribe' message");
        const decoded = decodeSubscribe(message);
        if (!decoded.ok) {
          const field = decoded.issues.some(({ loc }) => loc[1] === 'keys') ? 'keys' : 'client_id';
          return violation(`'${field}' in subscribe message`);
        }
        const target = {
          context: () => session.context(),
          send(run: Parameters<typeof taskRunResponse>[0]) {
            session.send(encodeRun(taskRunResponse(run, session.context().now)));
          },
        };
        subscription = new TaskSubscription(target, decoded.value.client_id, decoded.value.keys);
      },
      settled: () => subscription?.settled() ?? Promise.resolve(),
      closed: () => subscription?.close(),
    };
  },
};
