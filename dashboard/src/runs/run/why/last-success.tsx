/** The differences from the last run that completed. */
import { Link } from '@tanstack/react-router';
import { type Difference, Differences } from '../../../components/text/differences.tsx';
import { duration } from '../../../design/time.ts';
import type { FlowRunView } from '../../queries.ts';

/** The page that compares the two runs shows all. */
const MOST_DIFFERENCES = 8;

export function LastSuccess({ view }: { readonly view: FlowRunView }) {
  const { last_success: good, flow_run: run } = view;
  if (!good) return <p className="text-quiet">No earlier success to compare with.</p>;
  const changes = [...versionChange(view), ...good.parameters];
  const more = changes.length - MOST_DIFFERENCES;
  return (
    <div>
      <p className="flex flex-wrap gap-x-3 text-xs text-quiet">
        <span className="min-w-0 break-words">Since the last success, {good.name}</span>
        <Link to="/runs/compare" search={{ a: good.id, b: run.id }} className="text-accent hover:underline">
          {more > 0 ? `Compare: ${more} more differ` : 'Compare'}
        </Link>
      </p>
      <dl className="tabular grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-2">
        <Differences of={changes.slice(0, MOST_DIFFERENCES)} />
        <dt className="text-quiet">duration</dt>
        <dd>
          {duration(good.run_time)} → {duration(run.estimated_run_time ?? 0)}
        </dd>
      </dl>
      {changes.length === 0 ? <p className="text-quiet">Parameters and version are the same.</p> : null}
    </div>
  );
}

/** The version of the deployment, or else that of the code. */
function versionChange({ last_success: good, flow_run: run }: FlowRunView): Difference[] {
  const versions = [
    ['version', good?.deployment_version, run.deployment_version],
    ['code version', good?.flow_version, run.flow_version],
  ] as const;
  const changed = versions.find(([, before, now]) => (before ?? null) !== (now ?? null));
  return changed ? [{ name: changed[0], before: changed[1] ?? null, now: changed[2] ?? null }] : [];
}
