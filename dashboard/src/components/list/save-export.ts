import { saveBlob } from '../download.ts';
import { notify, notifyProblem } from '../notify/notify.ts';
import type { ExportFormat } from './list-actions.tsx';

/** Reads a list as a file and saves it. A problem is shown. */
export async function saveExport(name: string, format: ExportFormat, read: () => Promise<unknown>): Promise<void> {
  notify('The export has begun.');
  try {
    saveBlob((await read()) as Blob, `${name}.${format}`);
  } catch (error) {
    notifyProblem(error);
  }
}
