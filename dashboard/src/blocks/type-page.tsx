/** One type of block: its purpose, an example, its fields. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../api/access.ts';
import { buttonClass } from '../components/button.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { MOST_TO_READ, shortened } from '../components/text/shortened.ts';
import { Snippet } from '../components/text/snippet.tsx';
import { Some } from '../components/use-some.tsx';
import { blockTypeQuery, exampleOf } from './queries.ts';

const route = getRouteApi('/blocks/catalog/$slug');

interface Field {
  readonly title?: string;
  readonly description?: string;
  readonly position?: number;
}

export function BlockTypePage() {
  const { slug } = route.useParams();
  const query = useQuery(blockTypeQuery(slug));
  const mayChange = useMay('blocks:write');
  if (!query.data) return <Unread of={query} rows={8} isPage />;
  const { type, schema } = query.data;
  const { properties = {}, required = [] } = (schema?.fields ?? {}) as {
    properties?: Readonly<Record<string, Field>>;
    required?: readonly string[];
  };
  const fields = Object.entries(properties).toSorted(
    ([, one], [, other]) => (one.position ?? 0) - (other.position ?? 0),
  );
  const example = exampleOf(type.code_example, 'my-block');
  return (
    <>
      <PageHead
        title={type.name}
        trail={[
          ['Blocks', { to: '/blocks' }],
          ['Catalog', { to: '/blocks/catalog' }],
        ]}
        actions={
          <>
            <Link to="/blocks" search={{ type: slug }} className={buttonClass()}>
              Blocks of this type
            </Link>
            {mayChange && schema ? (
              <Link to="/blocks/catalog/$slug/create" params={{ slug }} className={buttonClass('primary')}>
                New block
              </Link>
            ) : null}
          </>
        }
      />
      <p className="max-w-180 px-6 pb-4 break-words whitespace-pre-line text-soft max-sm:px-4">
        {shortened(type.description ?? '', MOST_TO_READ)}
      </p>
      <Facts
        className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-x-6 gap-y-2 px-6 pb-5 max-sm:px-4"
        of={{
          Slug: <span className="font-mono text-xs">{slug}</span>,
          Capabilities: schema?.capabilities?.join(', ') || '–',
          Version: schema?.version ?? '–',
        }}
      />
      <div className="grid items-start gap-x-10 gap-y-8 px-6 max-sm:px-4 xl:grid-cols-2">
        <Section title="Fields" className="min-w-0">
          <dl className="border-t border-line">
            <Some of={fields}>
              {([name, { title, description }]) => (
                <div
                  key={name}
                  className="ruled grid min-h-(--row) grid-cols-[minmax(0,1fr)_minmax(0,2fr)] items-baseline gap-x-4 py-1.5"
                >
                  <dt className="min-w-0 break-words">
                    {shortened(String(title ?? name))}
                    {required.includes(name) ? <span className="text-quiet"> *</span> : null}
                  </dt>
                  <dd className="min-w-0 break-words text-soft">{shortened(String(description ?? ''))}</dd>
                </div>
              )}
            </Some>
          </dl>
        </Section>
        <div className="min-w-0">{example ? <Snippet title="In a program" text={example} /> : null}</div>
      </div>
    </>
  );
}
