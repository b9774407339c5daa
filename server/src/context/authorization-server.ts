/** The interface of the OAuth protocol behind the routes of `oauth-pipeline.ts`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OAuthPlace } from '../network/oauth-place.ts';
import type { Html } from '../pages/html.ts';

export interface ProtocolRequest {
  readonly place: OAuthPlace;
  /** The request as the client sent it; its body has been read. */
  readonly request: IncomingMessage;
  readonly contentType: string | undefined;
  readonly body: Buffer | undefined;
  /** Address of the client, for limits. */
  readonly address: string;
  /** The headers and the text of a page for the person at the browser. */
  render(title: string, content: Html): { readonly headers: Readonly<Record<string, string>>; readonly text: string };
}

export interface AuthorizationServer {
  /** Answers the request. Throws ApiError, before it has begun to answer, for a client that asks too often. */
  answer(given: ProtocolRequest, response: ServerResponse): Promise<void>;
  /** False for a server that takes keys only, or authenticates its callers itself. */
  mayServe(organization: string, server: string): Promise<boolean>;
}
