/** The most active callers, servers and capabilities; each row filters the log. */
import type { components } from '../api/platform.gen.ts';
import { Section } from '../components/page.tsx';
import { count, failedOf, milliseconds } from '../design/figures.ts';
import type { UsageItem } from './queries.ts';
import type { RequestsSearch } from './request-fields.ts';

interface Props {
  readonly summary: components['schemas']['RequestsSummary'];
  readonly isOneServer: boolean;
  readonly change: (part: RequestsSearch) => void;
}

export function UsageTables({ summary, isOneServer, change }: Props) {
  const named = summary.capabilities.filter(({ key }) => key !== null);
  return (
    <div className="grid gap-x-8 gap-y-4 px-6 pb-6 max-sm:px-4 md:grid-cols-2 xl:grid-cols-3">
      <Usage title="By caller" items={summary.owners} onChoose={({ key }) => change({ actor: key ?? undefined })} />
      {isOneServer ? null : (
        <Usage title="By server" items={summary.servers} onChoose={({ key }) => change({ server: key ?? undefined })} />
      )}
      <Usage title="By capability" items={named} onChoose={({ key }) => change({ capability: key ?? undefined })} />
    </div>
  );
}

const SHOWN = 5;

interface UsageProps {
  readonly title: string;
  readonly items: readonly UsageItem[];
  readonly onChoose: (item: UsageItem) => void;
}

function Usage({ title, items, onChoose }: UsageProps) {
  const most = Math.max(1, ...items.map(({ requests }) => requests));
  return (
    <Section title={title}>
      <table className="w-full table-fixed border-t border-line">
        <thead>
          <tr className="text-right text-xs text-quiet">
            <th className="py-1 text-left font-normal">
              <span className="sr-only">Name</span>
            </th>
            <th className="w-14 font-normal">Calls</th>
            <th className="w-14 font-normal">Failed</th>
            <th className="w-14 font-normal">Denied</th>
            <th className="w-16 font-normal">p95</th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, SHOWN).map((item) => (
            <tr key={`${item.kind} ${item.key}`} className="ruled h-7 text-right tabular">
              <th scope="row" className="relative min-w-0 pr-2 text-left font-normal">
                <span
                  aria-hidden="true"
                  className="absolute bottom-0 left-0 h-0.5 bg-control"
                  style={{ width: `${(item.requests / most) * 100}%` }}
                />
                <button
                  type="button"
                  className="block max-w-full truncate hover:underline"
                  title="Only these requests"
                  onClick={() => onChoose(item)}
                >
                  {item.name ?? item.key ?? 'unknown'}
                </button>
              </th>
              <td>{count(item.requests)}</td>
              <td className={failedOf(item) > 0 ? 'text-failed-text' : 'text-quiet'}>{count(failedOf(item))}</td>
              <td className="text-soft">{count(item.denied)}</td>
              <td className="text-soft">{milliseconds(item.p95Microseconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
