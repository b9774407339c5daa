import { messageFrame } from '../../changes/live-frame.ts';
import type { Context } from '../../context/context.ts';

/** Makes the pages of the workspace read everything again, after a change that has no event. */
export function tellReaders({ server, workspace }: Context): void {
  server.hub.tell('changes', workspace, messageFrame('[{"type":"resync"}]'));
}
