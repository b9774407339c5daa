/** A program that the host of another server runs, as an upstream: that server passes each request to it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Way } from '../../../peers/peers.ts';
import { HttpUpstream } from '../../upstream/http-upstream.ts';
import {
  type AnswerSink,
  type Upstream,
  type UpstreamCall,
  UpstreamError,
  type UpstreamFault,
  type UpstreamRequest,
} from '../../upstream/upstream.ts';

/** Below this path, a server takes what concerns the programs of its host. */
export const PROGRAMS_PATH = '/programs';
/** Set on an answer that is a fault of the upstream, with a `FaultOnTheWire` as its body. */
export const FAULT_HEADER = 'signalbox-fault';
/** Set on a request whose caller gets the answer unchanged. */
export const UNTOUCHED_HEADER = 'signalbox-untouched';
/** The other server has the deadlines of the program. */
const ANSWER_SECONDS = 4000;

export interface FaultOnTheWire {
  readonly fault: UpstreamFault;
  readonly message: string;
  readonly retryAfterSeconds: number | null;
}

export class PeerUpstream implements Upstream {
  readonly #http: HttpUpstream;
  #calls = 0;

  private constructor(http: HttpUpstream) {
    this.#http = http;
  }

  static async open({ origin, socketPath, tls }: Way, serverId: string): Promise<PeerUpstream> {
    const http = await HttpUpstream.open(new URL(`${origin}${PROGRAMS_PATH}/${serverId}`), {
      allowPrivate: true,
      mayBeOwn: true,
      socketPath,
      tls,
      answerSeconds: ANSWER_SECONDS,
      silentSeconds: Number.POSITIVE_INFINITY,
    });
    return new PeerUpstream(http);
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const { untouched = false, headers } = request;
    if (untouched) headers[UNTOUCHED_HEADER] = '1';
    this.#calls++;
    let isOver = false;
    const over = () => {
      if (!isOver) this.#calls--;
      isOver = true;
    };
    const call = this.#http.send({ ...request, untouched: true }, new FaultReader(sink, over));
    return {
      abort: () => {
        over();
        call.abort();
      },
      resume: () => call.resume(),
    };
  }

  get isUsed(): boolean {
    return this.#calls > 0;
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}

/** The host lives by what the database says, and its server does not answer. */
export function hostAway(): UpstreamError {
  return new UpstreamError('unavailable', 'The server that runs this program cannot be reached. Try again.', 2);
}

function faultIn(text: string): UpstreamError {
  try {
    const { fault, message, retryAfterSeconds } = JSON.parse(text) as FaultOnTheWire;
    return new UpstreamError(fault, message, retryAfterSeconds ?? undefined);
  } catch {
    return hostAway();
  }
}

/** Turns an answer that is a fault into the fault. */
class FaultReader implements AnswerSink {
  readonly #sink: AnswerSink;
  readonly #over: () => void;
  #hasBegun = false;
  /** The pieces of a fault. */
  #fault: Buffer[] | undefined;

  /** `over` is called when the answer has ended or failed. */
  constructor(sink: AnswerSink, over: () => void) {
    this.#sink = sink;
    this.#over = over;
  }

  begin(status: number, headers: IncomingHttpHeaders): void {
    this.#hasBegun = true;
    if (headers[FAULT_HEADER] !== undefined) this.#fault = [];
    else this.#sink.begin(status, headers);
  }

  data(chunk: Buffer): boolean {
    if (!this.#fault) return this.#sink.data(chunk);
    this.#fault.push(chunk);
    return true;
  }

  end(): void {
    this.#over();
    if (!this.#fault) {
      this.#sink.end();
      return;
    }
    this.#sink.fail(faultIn(Buffer.concat(this.#fault).toString()));
  }

  fail(error: UpstreamError): void {
    this.#over();
    this.#sink.fail(this.#hasBegun ? error : hostAway());
  }
}
