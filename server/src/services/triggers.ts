import { evaluateTriggers, TICK_SECONDS } from '../orchestration/automations/triggers/pass.ts';
import type { Service } from './service.ts';

/** Evaluates the triggers of automations: soon after events were stored, and now and then for those that did not come. */
export const triggers: Service = {
  name: 'triggers',
  everySeconds: TICK_SECONDS,
  runOnce: evaluateTriggers,
};
