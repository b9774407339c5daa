import { outgoingOf } from '../orchestration/automations/actions/outgoing.ts';
import { performActions } from '../orchestration/automations/actions/perform.ts';
import type { Service } from './service.ts';

/** Carries out what automations that fired asked for. */
export const actions: Service = {
  name: 'actions',
  everySeconds: 5,
  runOnce: performActions,
  stop: (server) => outgoingOf(server).stop(server.config.drainSeconds),
};
