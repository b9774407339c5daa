/** Finds a free slug for a server in a file. */
import type { OrganizationContext } from '../../../context/platform-context.ts';
import { listSlugsLike } from '../server/queries.ts';

const MAX_SLUG = 60;
/** Characters that are reserved for a number. */
const NUMBER = 6;
/** Names that many owners give their server. */
const GENERAL = new Set(['mcp', 'server', 'mcp-server']);

/**
 * Makes the slug from the last part of a name, or for `com.example/mcp` from the whole name with its owner, because
 * many names end like this. If the slug is taken, a number follows.
 */
export async function freeSlug(
  { db, organization }: OrganizationContext,
  name: string,
  taken: ReadonlySet<string> = new Set(),
): Promise<string> {
  const parts = name.split('/');
  const own = slugOf(parts.at(-1) ?? '');
  const owner = parts
    .at(-2)
    ?.split('.')
    .findLast((label) => !GENERAL.has(label));
  const base = GENERAL.has(own) && owner ? slugOf(`${owner}-${own}`) : own;
  const start = base.slice(0, MAX_SLUG - NUMBER).replace(/-+$/, '');
  const rows = await db.all(listSlugsLike, { organization_id: organization.id, pattern: `${start}%` });
  const used = new Set([...taken, ...rows.map(({ slug }) => slug)]);
  let slug = base;
  for (let number = 2; used.has(slug); number += 1) slug = `${start}-${number}`;
  return slug;
}

function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '');
  return slug || 'server';
}
