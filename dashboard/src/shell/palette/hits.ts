/** The results of the palette: objects of the workspace, and servers and people of its organization. */
import { queryOptions } from '@tanstack/react-query';
import { answered, platform } from '../../api/client.ts';
import { read } from '../../api/read.ts';
import type { Target } from './target.ts';

/** The kinds that have a page, and the address of an object. */
const kinds: Readonly<Record<string, { readonly title: string; readonly path: (id: string, name: string) => string }>> =
  {
    flow: { title: 'Flow', path: (id) => `/flows/flow/${id}` },
    variable: { title: 'Variable', path: (_id, name) => `/variables?name=${encodeURIComponent(name)}` },
    block_document: { title: 'Block', path: (id) => `/blocks/block/${id}` },
    automation: { title: 'Automation', path: (id) => `/automations/automation/${id}` },
    concurrency_limit: { title: 'Concurrency limit', path: (id) => `/concurrency-limits/concurrency-limit/${id}` },
    flow_run: { title: 'Flow run', path: (id) => `/runs/flow-run/${id}` },
    artifact: { title: 'Artifact', path: (id) => `/artifacts/artifact/${id}` },
    task_run: { title: 'Task run', path: (id) => `/runs/task-run/${id}` },
    deployment: { title: 'Deployment', path: (id) => `/deployments/deployment/${id}` },
    work_pool: { title: 'Work pool', path: (_id, name) => `/work-pools/work-pool/${encodeURIComponent(name)}` },
  };

/** The most results of one kind. */
const MOST_OF_A_KIND = 5;

/** The objects of the workspace with this name or id. */
export const workspaceHitsQuery = (text: string) =>
  read.one(
    '/views/search',
    { params: { query: { q: text } } },
    {
      select: (hits): Target[] =>
        hits.flatMap(({ type, id, name }) => {
          const kind = kinds[type];
          return kind ? [{ key: `${type} ${id}`, kind: kind.title, name, path: kind.path(id, name) }] : [];
        }),
    },
  );

/** The MCP servers and the people with this name. The server returns only those that the caller may see. */
export function organizationHitsQuery(org: string, text: string) {
  return queryOptions({
    queryKey: ['/organizations/{org}/servers', org, text],
    queryFn: async ({ signal }): Promise<Target[]> => {
      const params = { path: { org }, query: { limit: MOST_OF_A_KIND, name: text } };
      const [servers, members] = await Promise.all([
        answered(platform.GET('/organizations/{org}/servers', { params, signal })),
        answered(platform.GET('/organizations/{org}/members', { params, signal })),
      ]);
      return [
        ...servers.items.map(({ id, slug, name }) => ({
          key: `server ${id}`,
          kind: 'MCP server',
          name,
          path: `/servers/${slug}`,
        })),
        ...members.items.map(({ id, name, email }) => ({
          key: `person ${id}`,
          kind: 'Person',
          name: name ? `${name}, ${email}` : email,
          path: `/people?${new URLSearchParams({ organization: org, name: email })}`,
        })),
      ];
    },
  });
}
