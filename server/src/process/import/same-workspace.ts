/**
 * Refuses to import a workspace into itself, under whatever address its server is known: the target gets a mark, and
 * the source is asked for the mark of its workspace.
 */
import { ConfigError } from '../../errors.ts';
import { clearImportMark, setImportMark } from '../../orchestration/admin/import-mark.ts';
import { newId } from '../../values/id.ts';
import type { Source } from './sources/source.ts';
import type { Target } from './target.ts';

/** Throws ConfigError. */
export async function refuseSameWorkspace(source: Source, target: Target): Promise<void> {
  const mark = newId();
  const { store, workspace } = target;
  await store.transaction(workspace, (tx) => setImportMark(tx, mark));
  const shown = await source.marker().finally(() => store.transaction(workspace, (tx) => clearImportMark(tx)));
  if (shown !== mark) return;
  throw new ConfigError(
    `${source.name} is the workspace that the import would fill. Give --from the address of the server to move from: two servers need two ports, such as 4200 for the old one and --port 4300 for Signalbox.`,
  );
}
