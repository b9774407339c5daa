/** Replaces a page that could not be read. An object that does not exist leads to its list and to the search. */
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Problem } from '../api/problem.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Failed } from '../components/states-of-loading.tsx';
import { type ObjectPage, objectPage, sentence } from './object-pages.ts';
import { openPalette } from './palette/palette.tsx';
import { forgetPage } from './recents.ts';

interface Props {
  readonly error: unknown;
  readonly retry: () => void;
}

export function PageFailed({ error, retry }: Props) {
  const page = objectPage(useLocation().pathname);
  // The server refuses what cannot be an id. A list that was asked for one object is empty without an error.
  const isAbsent = error === null || (error instanceof Problem && (error.status === 404 || error.status === 422));
  if (page && isAbsent) return <Absent page={page} />;
  return (
    <>
      <PageHead title={page ? sentence(page.kind) : 'Not read'} isRead={false} />
      <Failed error={error} retry={retry} />
    </>
  );
}

function Absent({ page: { kind, list } }: { readonly page: ObjectPage }) {
  const [path = '/', search = ''] = list.path.split('?');
  const title = `${sentence(kind)} not found`;
  useEffect(forgetPage, []);
  return (
    <>
      <PageHead
        title={title}
        isRead={false}
        trail={
          <Link to={path} search={Object.fromEntries(new URLSearchParams(search))} className="hover:underline">
            {list.title}
          </Link>
        }
      />
      <Empty
        title={`This ${kind} does not exist`}
        action={
          <span className="flex flex-wrap gap-2">
            <Link to={path} search={Object.fromEntries(new URLSearchParams(search))} className={buttonClass('primary')}>
              Go to {list.title}
            </Link>
            <Button onClick={() => openPalette()}>Search</Button>
          </span>
        }
      >
        It was deleted or never existed, or it is in another workspace.
      </Empty>
    </>
  );
}
