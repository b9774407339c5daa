/** The objects of events: their names, and the pages that show them. */
import { Link } from '@tanstack/react-router';
import { shortened } from '../components/text/shortened.ts';
import { type Resource, readResource } from './read-resource.ts';

/** The name of a resource, with a link to its page if it has one. */
export function ResourceLink({
  resource,
  hasKind = false,
}: {
  readonly resource: Resource;
  readonly hasKind?: boolean;
}) {
  const { name, kind, path, ...read } = readResource(resource);
  const id = shortened(read.id);
  const words = (
    <>
      {hasKind && kind ? <span className="text-quiet">{kind} </span> : null}
      {shortened(name)}
    </>
  );
  return path ? (
    <Link to={path} title={id} className="hover:underline">
      {words}
    </Link>
  ) : (
    <span title={id}>{words}</span>
  );
}
