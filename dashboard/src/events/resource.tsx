/** The objects that events are about: their names, and the pages that show them. */
import { Link } from '@tanstack/react-router';
import { type Resource, readResource } from './read-resource.ts';

/** The name of a resource, with a link to its page where it has one. */
export function ResourceLink({
  resource,
  hasKind = false,
}: {
  readonly resource: Resource;
  readonly hasKind?: boolean;
}) {
  const { id, name, kind, path } = readResource(resource);
  const words = (
    <>
      {hasKind && kind ? <span className="text-quiet">{kind} </span> : null}
      {name}
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
