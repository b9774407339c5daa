/** Keeps that a workspace has dismissed its first hour. */

import { readAgainFrame } from '../../changes/live-frame.ts';
import type { Context } from '../../context/context.ts';
import { deleteConfiguration, findConfiguration, putConfiguration } from '../../database/opening/configuration.ts';
import type { Db } from '../../database/store.ts';
import { jsonTextOf } from '../../values/json.ts';

const KEY = 'first-hour-dismissed';

export async function isDismissed(db: Db): Promise<boolean> {
  return (await findConfiguration(db, KEY)) !== undefined;
}

export async function setDismissed(context: Context, dismissed: boolean): Promise<void> {
  await context.transaction(async (tx) => {
    if (dismissed) await putConfiguration(tx, KEY, jsonTextOf(context.now));
    else await deleteConfiguration(tx, KEY);
    tx.afterCommit(() => context.server.hub.tell('changes', context.workspace, readAgainFrame));
  });
}
