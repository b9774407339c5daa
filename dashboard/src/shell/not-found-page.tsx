import { Link } from '@tanstack/react-router';
import { buttonClass } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Not found" />
      <Empty
        title="Page not found"
        action={
          <Link to="/" className={buttonClass()}>
            Go home
          </Link>
        }
      >
        The address may be of an object that was deleted, or of another server.
      </Empty>
    </>
  );
}
