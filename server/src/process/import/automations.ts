/** Imports automations. They are disabled unless the import activates what it brings. */
import { insertAutomationAs } from '../../orchestration/automations/operations.ts';
import { automations, claimTriggers } from '../../orchestration/automations/queries.ts';
import { Automation } from '../../orchestration/automations/schema.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { standingHere } from './standing.ts';
import type { Import } from './step.ts';

const decode = compileDecoder(Automation, 'body');

export async function importAutomations({ source, target, activates }: Import): Promise<void> {
  for await (const page of source.objects('automations')) {
    for (const object of page) {
      const decoded = decode(object);
      if (!decoded.ok) {
        target.count('automations', 1, 0);
        const faults = decoded.issues.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
        target.remark(`The automation ${object['name']} was left out. ${faults.join('; ')}.`);
        continue;
      }
      const automation = decoded.value;
      const now = target.clock.now();
      const stamps = { id: automation.id, created: automation.created ?? now, updated: automation.updated ?? now };
      await target.transaction(async (tx) => {
        const here = await automations.first(tx, { id: automation.id });
        if (!here && !target.isDry) await insertAutomationAs(tx, { ...automation, enabled: false }, stamps);
        const standing = standingHere(here && { ...here, active: here.enabled }, stamps.updated);
        const isActivated = automation.enabled && activates && standing === 'as brought';
        target.count('automations', 1, here ? 0 : 1, here && isActivated ? 1 : 0);
        if (isActivated && !target.isDry) {
          await tx.run(claimTriggers);
          await automations.changeAll(tx, { id: automation.id }, { enabled: true, updated: now });
        }
        if (isActivated) target.activatedAutomations++;
        if (!automation.enabled) return;
        if (standing === 'active') target.activeAutomations++;
        if (standing === 'switched off') target.switchedOff++;
        else if (standing === 'as brought' && !activates) target.disabledAutomations++;
      });
    }
  }
}
