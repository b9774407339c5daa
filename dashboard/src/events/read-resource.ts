/** The objects of events: their names, and the addresses of their pages. */

import { addressed } from '../components/list/language.ts';
import { shortId } from '../design/short-id.ts';

export type Resource = Readonly<Record<string, string>>;

/** Kinds of the server's own resources, by their names in resource ids, with the page of an object. */
const pages: Readonly<
  Record<string, { readonly title: string; readonly path?: (id: string, name: string) => string }>
> = {
  'flow-run': { title: 'Flow run', path: (id) => `/runs/flow-run/${id}` },
  'task-run': { title: 'Task run', path: (id) => `/runs/task-run/${id}` },
  flow: { title: 'Flow', path: (id) => `/flows/flow/${id}` },
  deployment: { title: 'Deployment', path: (id) => `/deployments/deployment/${id}` },
  'work-pool': { title: 'Work pool', path: (_id, name) => `/work-pools/work-pool/${encodeURIComponent(name)}` },
  'work-queue': { title: 'Work queue', path: (id) => `/work-queues/work-queue/${id}` },
  automation: { title: 'Automation', path: (id) => `/automations/automation/${id}` },
  'block-document': { title: 'Block', path: (id) => `/blocks/block/${id}` },
  'concurrency-limit': { title: 'Concurrency limit', path: (id) => `/concurrency-limits/concurrency-limit/${id}` },
  variable: { title: 'Variable', path: (_id, name) => `/variables?name=${encodeURIComponent(name)}` },
  artifact: { title: 'Artifact', path: (id) => `/artifacts/artifact/${id}` },
  tag: { title: 'Tag', path: (id) => `/runs?tag=${encodeURIComponent(addressed(id))}` },
  'artifact-collection': { title: 'Artifact' },
  'block-type': { title: 'Block type' },
  worker: { title: 'Worker' },
};

const OWN = /^prefect\.([a-z-]+)\.(.+)$/;

export interface ReadResource {
  readonly id: string;
  readonly name: string;
  /** The resource in words; the id of a foreign resource without a name. */
  readonly kind: string | undefined;
  readonly path: string | undefined;
}

export function readResource(resource: Resource): ReadResource {
  const id = resource['prefect.resource.id'] ?? '';
  const given = resource['prefect.resource.name'] ?? resource['prefect.name'];
  const [, kind = '', rest = ''] = OWN.exec(id) ?? [];
  const page = Object.hasOwn(pages, kind) ? pages[kind] : undefined;
  if (!page) return { id, name: given ?? id, kind: undefined, path: undefined };
  const name = given ?? (kind === 'tag' ? rest : shortId(rest));
  const needsName = kind === 'work-pool' || kind === 'variable';
  return { id, name, kind: page.title, path: needsName && given === undefined ? undefined : page.path?.(rest, name) };
}
