/** The manifest of a remix, composed from the last known manifests of its sources. */
import { VERSION } from '../../../values/versions.ts';
import type { Manifest } from '../../manifest/discovery.ts';
import { isObject, type JsonObject } from '../../protocol/message.ts';
import { TASKS_EXTENSION } from '../../protocol/meta.ts';
import type { Composition } from './composition.ts';
import type { ChosenList } from './selection.ts';

/** `manifests` by id of the server; a source without one contributes nothing. */
export function composedManifest(
  composition: Composition,
  { name, description }: { readonly name: string; readonly description: string },
  manifests: ReadonlyMap<string, Manifest>,
): Manifest {
  const known = composition.sources.flatMap((source) => {
    const manifest = manifests.get(source.serverId);
    return manifest ? [{ source, manifest }] : [];
  });
  const listOf = (list: ChosenList) =>
    known.flatMap(({ source, manifest }) =>
      manifest[list].flatMap((item) => composition.itemsOf(source.key, list, item)),
    );
  return {
    eras: ['legacy', 'modern'],
    serverInfo: { name, version: VERSION },
    capabilities: composedCapabilities(
      composition,
      known.map(({ manifest }) => manifest.capabilities),
    ),
    instructions: description === '' ? null : description,
    tools: listOf('tools'),
    prompts: listOf('prompts'),
    resources: listOf('resources'),
    resourceTemplates: listOf('resourceTemplates'),
    unknown: {},
  };
}

/**
 * The capabilities of the remix as a server. Extensions other than tasks are omitted, because the remix does not
 * support them.
 */
export function composedCapabilities(
  composition: Composition,
  ofSources: readonly Readonly<JsonObject>[],
): Readonly<JsonObject> {
  const offers = (name: string) => ofSources.some((capabilities) => capabilities[name] !== undefined);
  const subscribes = ofSources.some(({ resources }) => isObject(resources) && resources['subscribe'] === true);
  const tasks = ofSources.flatMap(({ tasks }) => (isObject(tasks) ? [tasks] : []));
  const hasTaskExtension = ofSources.some(
    ({ extensions }) => isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined,
  );
  return {
    ...(composition.has('tools') ? { tools: { listChanged: true } } : {}),
    ...(composition.has('prompts') ? { prompts: { listChanged: true } } : {}),
    ...(composition.has('resources') || composition.has('resourceTemplates')
      ? { resources: { listChanged: true, ...(subscribes ? { subscribe: true } : {}) } }
      : {}),
    ...(offers('completions') ? { completions: {} } : {}),
    ...(offers('logging') ? { logging: {} } : {}),
    ...(tasks.length === 0 ? {} : { tasks: Object.assign({}, ...tasks) as JsonObject }),
    ...(hasTaskExtension ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
  };
}
