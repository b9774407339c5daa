import { RefreshCw } from 'lucide-react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { useAction } from '../components/use-action.ts';
import { askServer } from './actions.ts';
import type { ServerPath } from './queries.ts';

/** Reads the server's manifest again, which starts a hosted server that does not run. */
export function RefreshButton({ path, title = 'Ask again' }: { readonly path: ServerPath; readonly title?: string }) {
  const { run, isBusy } = useAction();
  const ask = () =>
    run(async () => {
      // When the server does not answer, its page shows the reason.
      await askServer(path).catch(() => undefined);
      await invalidate('/organizations/{org}/views/servers/{server}');
    });
  return (
    <Button disabled={isBusy} onClick={ask} title="Ask the server which tools, resources and prompts it offers">
      <RefreshCw size={13} className={isBusy ? 'animate-spin' : ''} />
      {isBusy ? 'Asking' : title}
    </Button>
  );
}
