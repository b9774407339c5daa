import { getRouteApi, useNavigate } from '@tanstack/react-router';

const route = getRouteApi('/servers/$server');

/** The actor whose view is shown, kept in the address. */
export function useActorChoice(): readonly [string | undefined, (id: string | undefined) => void] {
  const { actor } = route.useSearch();
  const navigate = useNavigate({ from: '/servers/$server' });
  return [
    actor,
    (id) => void navigate({ search: (old) => ({ ...old, actor: id }), replace: true, resetScroll: false }),
  ];
}
