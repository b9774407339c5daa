import { RefreshCw } from 'lucide-react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { useAction } from '../components/use-action.ts';
import { askServer } from './actions.ts';
import type { ServerPath } from './queries.ts';

/** Reads the server's manifest again, which starts a hosted server that does not run. */
export function RefreshButton({ path, title = 'Refresh' }: { readonly path: ServerPath; readonly title?: string }) {
  const { run, isBusy } = useAction();
  const ask = () =>
    run(async () => {
      // When the server does not answer, its page shows the reason.
      await askServer(path).catch(() => undefined);
      await invalidate('/organizations/{org}/views/servers/{server}');
    });
  return (
    <Button disabled={isBusy} onClick={ask} title="Read again which tools, resources and prompts the server offers">
      <RefreshCw size={13} className={isBusy ? 'animate-spin' : ''} />
      {isBusy ? 'Refreshing' : title}
    </Button>
  );
}
