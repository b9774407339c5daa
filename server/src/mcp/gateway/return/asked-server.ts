/** Publishes how long a server took to begin its answer, for metrics and traces. */
import { beginSpan, type Span } from '../../../watching/spans.ts';
import { upstreamAnswers } from '../../../watching/telemetry.ts';

const ASKING = { name: 'ask the MCP server', kind: 'client' } as const;

export class AskedServer {
  /** Time at which the server was asked, until its answer has begun. */
  #asked = 0;
  #span: Span | undefined;

  /** The server is asked with these headers, to which the trace is added. */
  begin(headers: Record<string, string>): void {
    this.#asked = upstreamAnswers.begin();
    this.#span = beginSpan(ASKING);
    this.#span?.carry(headers);
  }

  /** Its answer has begun, or there is none because of `fault`. */
  answered(fault: string | undefined): void {
    upstreamAnswers.tell(this.#asked, { fault });
    this.#asked = 0;
    this.end(fault);
  }

  end(failure?: string): void {
    this.#span?.end({ failure });
    this.#span = undefined;
  }
}
