import type { Context } from '../context/context.ts';
import { TICK_SECONDS, TriggerPasses } from '../orchestration/automations/triggers/pass.ts';
import type { WorkspaceService } from './service.ts';

/** Evaluates the triggers of automations soon after events are stored, and at intervals for missing events. */
export class Triggers implements WorkspaceService {
  readonly name = 'triggers';
  readonly scope = 'workspace';
  readonly everySeconds = TICK_SECONDS;
  readonly #passes = new TriggerPasses();

  runOnce(context: Context): Promise<boolean> {
    return this.#passes.evaluate(context);
  }
}
