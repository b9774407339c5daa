import { Button } from '../components/button.tsx';
import { Empty } from '../components/states-of-loading.tsx';

export function NoRuns({ isFiltered, clear }: { readonly isFiltered: boolean; readonly clear: () => void }) {
  if (isFiltered) {
    return (
      <Empty title="No run matches these filters" action={<Button onClick={clear}>Remove the filters</Button>}>
        There may be runs in another span of time.
      </Empty>
    );
  }
  return (
    <Empty title="No runs in this time">
      Runs appear here as soon as a flow starts with <code className="font-mono text-xs">PREFECT_API_URL</code> set to
      this server.
    </Empty>
  );
}
