/** The stages of a call to an MCP server. A stage that refuses ends the call, and nothing of it reaches the server. */

import { access } from './stages/access.ts';
import { admission, admissionAfterBody } from './stages/admission.ts';
import { body } from './stages/body.ts';
import { crossOrigin } from './stages/cross-origin.ts';
import { foreignPage } from './stages/foreign-page.ts';
import { forward } from './stages/forward.ts';
import { forwardUntouched } from './stages/forward-untouched.ts';
import { holder } from './stages/holder.ts';
import { hostName, hostNameOfOpenApi } from './stages/host-name.ts';
import { keyUse } from './stages/key-use.ts';
import { manifest } from './stages/manifest.ts';
import { message } from './stages/message.ts';
import { ownAuthentication } from './stages/own-authentication.ts';
import { places } from './stages/places.ts';
import { quotas } from './stages/quotas.ts';
import { scope } from './stages/scope.ts';
import { serversOrigin } from './stages/servers-origin.ts';
import type { Arrival } from './way/call.ts';
import type { Row, Stage } from './way/run-stages.ts';

const K = 'key';
const S = 'session';
const U = 'untouched';

const use = (stage: Stage, ...arrivals: Arrival[]): Row => ({ stage, arrivals });

// biome-ignore format: each way of arriving has a column
export const STAGES: readonly Row[] = [
  //                       key session untouched
  use(places,               K,   S              ),
  use(foreignPage,          K                   ),
  use(serversOrigin,        K                   ),
  use(hostNameOfOpenApi,    K                   ),
  use(crossOrigin,          K                   ),
  use(access,               K,   S              ),
  use(ownAuthentication,    K,   S              ),
  use(hostName,                         U       ),
  use(keyUse,               K                   ),
  use(admission,            K,   S              ),
  use(holder,               K,   S              ),
  use(body,                 K,   S,     U       ),
  use(admissionAfterBody,   K,   S              ),
  use(manifest,             K,   S              ),
  use(message,              K,   S              ),
  use(scope,                K,   S              ),
  use(quotas,               K,   S              ),
  use(forward,              K,   S              ),
  use(forwardUntouched,                 U       ),
];
