import type { Context } from '../../context.ts';
import type { Tx } from '../../database/store.ts';
import type { JsonText } from '../../json.ts';

/** Stand-in until the artifacts operations land: export `insertArtifact` with this signature (states/state-artifact.ts calls it). */
export async function insertArtifact(
  _context: Context,
  _tx: Tx,
  _artifact: {
    readonly data: JsonText;
    readonly flow_run_id: string | null;
    readonly task_run_id: string | null;
    readonly type?: string | null;
    readonly key?: string | null;
    readonly description?: string | null;
  },
): Promise<void> {}
