import type { IncomingMessage } from 'node:http';
import type { Server } from '../context.ts';
import { type Admission, admit } from '../identity/authenticate.ts';
import { addressOf } from './client-info.ts';
import { targetOf } from './hosted-address.ts';

/** Checks the credential of a request that no route of the API serves. Throws what `admit` throws. */
export function admitWithoutRoute(server: Server, request: IncomingMessage): Promise<Admission> {
  return admit(server, targetOf(request), undefined, request.headers.authorization, addressOf(server.config, request));
}
