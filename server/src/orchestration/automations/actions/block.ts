/** The block document that an outgoing action uses, with its secrets. */

import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import type { Resource } from '../../../events/record.ts';
import { relatedResource } from '../../../events/record-change.ts';
import { isJsonObject, parseObject } from '../../../values/json.ts';
import { blockDocuments } from '../../blocks/documents/queries.ts';
import { readBlockDocument } from '../../blocks/documents/read.ts';
import { HIDDEN } from '../../blocks/documents/secret-fields.ts';

export interface Block {
  readonly slug: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The resources with which events refer to it. */
  readonly related: readonly Resource[];
  /** Removes all secrets of the block from a text that comes back from its target. */
  redact(text: string): string;
}

/** Undefined when there is no such document. Throws DecryptionFailed. */
export async function loadBlock(context: Context, tx: Tx, id: string): Promise<Block | undefined> {
  const row = await blockDocuments.first(tx, { id });
  if (!row) return undefined;
  const [open, hidden] = [
    await readBlockDocument(context, tx, row, true),
    await readBlockDocument(context, tx, row, false),
  ];
  const data = parseObject(open.data);
  const slug = open.block_type?.slug ?? '';
  const secrets = secretsOf(data, parseObject(hidden.data));
  return {
    slug,
    data,
    related: [
      {
        'prefect.resource.id': `prefect.block-document.${id}`,
        'prefect.resource.role': 'block',
        ...(row.name === null ? {} : { 'prefect.resource.name': row.name }),
      },
      relatedResource('block-type', slug),
    ],
    redact: (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, HIDDEN), text),
  };
}

/** Shorter secrets would match everywhere. */
const SHORTEST_SECRET = 4;

/** The texts to hide, longest first, and parts of those that are URLs. */
function secretsOf(open: unknown, hidden: unknown): readonly string[] {
  const found = new Set(hiddenTexts(open, hidden).flatMap((text) => [text, ...urlParts(text)]));
  return [...found].filter(({ length }) => length >= SHORTEST_SECRET).sort((one, other) => other.length - one.length);
}

function hiddenTexts(open: unknown, hidden: unknown): string[] {
  if (hidden === HIDDEN) return textsIn(open);
  if (Array.isArray(open) && Array.isArray(hidden))
    return open.flatMap((item, index) => hiddenTexts(item, hidden[index]));
  if (!isJsonObject(open) || !isJsonObject(hidden)) return [];
  return Object.keys(open).flatMap((key) => hiddenTexts(open[key], hidden[key]));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function urlParts(text: string): string[] {
  const url = URL.parse(text);
  if (!url) return [];
  return [url.href, url.pathname + url.search, url.pathname, url.search, url.password, ...url.searchParams.values()];
}
