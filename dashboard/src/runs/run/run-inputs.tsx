/** The inputs that a flow run requested and received while it ran. */
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import { Unread } from '../../components/states-of-loading.tsx';
import { CodeBlock } from '../../components/text/code-block.tsx';
import { Moment } from '../../components/text/moment.tsx';

const MOST_INPUTS = 200;

export function RunInputs({ runId }: { readonly runId: string }) {
  const query = useQuery(
    read.one(
      '/flow_runs/{id}/input/filter',
      { params: { path: { id: runId } }, body: { prefix: '', limit: MOST_INPUTS, exclude_keys: [] } },
      { watches: [runId] },
    ),
  );
  if (!query.data) return <Unread of={query} rows={4} />;
  if (query.data.length === 0) {
    return (
      <p className="text-quiet">
        Nothing was sent to this run. Inputs appear here when a flow pauses with{' '}
        <code className="font-mono text-xs">wait_for_input</code> or receives them with{' '}
        <code className="font-mono text-xs">receive_input</code>.
      </p>
    );
  }
  return (
    <ol className="max-w-240">
      {query.data.map(({ id, key, value, sender, created }) => (
        <li key={id} className="ruled grid grid-cols-[minmax(10rem,1fr)_2fr_auto] gap-x-4 py-1.5 max-sm:grid-cols-1">
          <div className="min-w-0">
            <div className="truncate font-mono text-xs" title={key}>
              {key}
            </div>
            {sender ? <div className="truncate text-xs text-quiet">from {sender}</div> : null}
          </div>
          <CodeBlock label={key} text={printed(value)} isWrapped />
          <div className="text-xs text-quiet">
            <Moment time={created} />
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Clients send JSON; other text is shown unchanged. */
function printed(value: string): string {
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
