/** The parts that the stages of the gateway use. */

import type { Hub } from '../../../changes/hub.ts';
import type { Capacity } from '../../../fairness/capacity.ts';
import type { BodyReceiver } from '../../../fairness/receive-body.ts';
import type { OpenThings } from '../../../identity/access/open-things.ts';
import type { KeyUsage } from '../../../identity/keys/key-usage.ts';
import type { PageGuard } from '../../../network/page-guard.ts';
import type { ServersOrigin } from '../../../network/servers-origin.ts';
import type { Peers } from '../../../peers/peers.ts';
import type { Manifests } from '../../manifest/manifests.ts';
import type { Quotas } from '../../quotas/quotas.ts';
import type { HostCheck } from '../arrive/host-check.ts';
import type { RequestReceiver } from '../arrive/receive-request.ts';
import type { Admissions } from '../decide/admission.ts';
import type { Policies } from '../decide/policies.ts';
import type { Sessions } from '../decide/sessions.ts';
import type { Tasks } from '../decide/tasks.ts';
import type { PassageParts } from '../return/passage.ts';
import type { OpenStreams } from '../return/streams.ts';
import type { WayBack } from '../return/way-back.ts';
import type { DestinationParts, Destinations } from './destinations.ts';

/** The parts of the process that the gateway uses. */
export interface GatewayParts extends DestinationParts {
  readonly bodies: BodyReceiver;
  readonly capacity: Capacity;
  readonly keyUsage: KeyUsage;
  readonly hub: Hub;
  readonly openThings: OpenThings;
  /** The other processes; undefined if this one is the only one. */
  readonly peers: Peers | undefined;
}

/** Adds the parts of the gateway itself. */
export interface StageParts extends GatewayParts {
  readonly hostCheck: HostCheck;
  readonly pageGuard: PageGuard;
  readonly serversOrigin: ServersOrigin;
  readonly policies: Policies;
  readonly admissions: Admissions;
  readonly sessions: Sessions;
  readonly tasks: Tasks;
  readonly wayBack: WayBack;
  readonly streams: OpenStreams;
  readonly quotas: Quotas;
  readonly manifests: Manifests;
  readonly destinations: Destinations;
  readonly receiver: RequestReceiver;
  readonly passage: PassageParts;
}
