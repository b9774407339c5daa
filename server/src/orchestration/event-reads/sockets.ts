import { ApiError } from '../../errors.ts';
import { type EventSink, streamEvents } from '../../events/event-stream.ts';
import { readEventFrame } from '../../events/read-event-frame.ts';
import { receiveEvent } from '../../events/received-event.ts';
import { EventFilter } from '../../events/schema.ts';
import { PROTOCOL_ERROR, readFilterMessage } from '../../http/sockets/filter-message.ts';
import type { SocketRoute, SocketSession } from '../../http/sockets/websocket.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { inBackground } from '../../watching/background.ts';

const decodeFilter = compileDecoder(EventFilter, 'body');

/**
 * Accepts one event per frame and answers only pings: a pong confirms that the events before it are stored. A frame
 * that is not an event is dropped. The Prefect server closes the socket; clients before 3.9 then send that frame first
 * on each new one, and lose all later ones.
 */
const eventsIn: SocketRoute = {
  path: '/events/in',
  permission: 'events:write',
  open(session) {
    const { workspace, server } = session.context();
    const { intake } = server;
    return {
      message(frame) {
        const event = readEventFrame(frame);
        if ('fault' in event) return intake.drop(workspace, 'invalid', { id: event.id }, event.fault);
        intake.enqueue(workspace, receiveEvent(workspace, server.clock.now(), event));
        if (!intake.isFull(workspace)) return;
        session.pause();
        inBackground(
          'a socket that waits for room',
          async () => {
            await intake.room(workspace);
            session.resume();
          },
          session.fail,
        );
      },
      settled: () => intake.settled(workspace),
    };
  },
};

/** Sends the events that match the filter in the first frame. Later frames are ignored. */
const eventsOut: SocketRoute = {
  path: '/events/out',
  permission: 'events:read',
  open(session) {
    let stop: (() => void) | undefined;
    return {
      message(frame) {
        if (stop) return;
        const message = readFilterMessage(frame, decodeFilter);
        if (typeof message === 'string') return session.close(PROTOCOL_ERROR, message);
        try {
          stop = streamEvents(session.context(), message.filter, message.backfill, sinkOf(session));
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          session.close(PROTOCOL_ERROR, `Invalid filter: ${error.message}`);
        }
      },
      closed: () => stop?.(),
    };
  },
};

function sinkOf(session: SocketSession): EventSink {
  return {
    send: (frame) => session.send(frame),
    get isBehind() {
      return session.isBehind;
    },
    sent: () => session.sent(),
    giveUp: session.fail,
  };
}

export const eventSockets: readonly SocketRoute[] = [eventsIn, eventsOut];
