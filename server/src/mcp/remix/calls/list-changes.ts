import type { JsonObject } from '../../protocol/message.ts';
import type { RemixSource } from '../composition/selection.ts';

type AnnouncedList = 'tools' | 'prompts' | 'resources';

/** The notifications that the lists of a source have changed, limited to those that the client wants. */
export function listChangesOf(
  source: RemixSource,
  isWanted: (list: AnnouncedList) => boolean,
  params?: JsonObject,
): JsonObject[] {
  const added: Readonly<Record<AnnouncedList, number>> = {
    tools: source.tools.length,
    prompts: source.prompts.length,
    resources: source.resources.length + source.resourceTemplates.length,
  };
  return (['tools', 'prompts', 'resources'] as const)
    .filter((list) => added[list] > 0 && isWanted(list))
    .map((list) => ({
      jsonrpc: '2.0',
      method: `notifications/${list}/list_changed`,
      ...(params && { params }),
    }));
}
