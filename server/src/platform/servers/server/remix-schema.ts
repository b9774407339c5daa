/** The selection of a remix in the form of the API. */
import { CHOSEN_LISTS, type Selection } from '../../../mcp/remix/composition/selection.ts';
import {
  described,
  Enum,
  JsonObject,
  Nullable,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';

const MAX_SOURCES = 20;
/** Choices from all sources together: each request composes the list of the remix. */
export const MAX_CHOICES = 1000;
const MAX_NAME = 2000;
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 10_000;

const name = Type.String({ minLength: 1, maxLength: MAX_NAME });

const choiceFields = {
  name: described(name, 'Name of the tool or prompt, URI of the resource, or URI template, at the source.'),
  title: described(
    withDefault(Nullable(Type.String({ maxLength: MAX_TITLE })), null),
    'Replaces the title of the source.',
  ),
  description: described(
    withDefault(Nullable(Type.String({ maxLength: MAX_DESCRIPTION })), null),
    'Replaces the description of the source.',
  ),
};

function choiceWrite(kind: string, as: (text: string) => string | undefined) {
  return Shape(`${kind}Write`, {
    ...choiceFields,
    as: described(
      withDefault(Nullable(refine(Type.String({ minLength: 1, maxLength: MAX_NAME }), as)), null),
      'Name at the remix. Null: the name at the source.',
    ),
  });
}

/** Source: modelcontextprotocol.io/specification/2025-11-25/server/tools, "Tool Names". */
const named = (text: string) =>
  /^[A-Za-z0-9_.-]{1,128}$/.test(text)
    ? undefined
    : 'must be at most 128 letters, digits, dashes, dots and underscores';
const addressed = (text: string) =>
  /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text) ? undefined : 'must be a URI with a scheme';

const NamedChoice = choiceWrite('RemixChoice', named);
const ResourceChoice = choiceWrite('RemixResource', addressed);
const TemplateChoice = Shape('RemixTemplateWrite', {
  ...choiceFields,
  as: described(withDefault(Nullable(name), null), 'A template keeps its name: null, or the name at the source.'),
});

const listOf = <T extends typeof NamedChoice | typeof ResourceChoice | typeof TemplateChoice>(choice: T) =>
  withDefault(Type.Array(choice, { maxItems: MAX_CHOICES }), []);

export const RemixWrite = Shape('RemixWrite', {
  sources: Type.Array(
    Shape('RemixSourceWrite', {
      server: described(Type.String({ minLength: 1, maxLength: 100 }), 'Id or slug of a server of the organization.'),
      tools: listOf(NamedChoice),
      prompts: listOf(NamedChoice),
      resources: listOf(ResourceChoice),
      resourceTemplates: listOf(TemplateChoice),
    }),
    { maxItems: MAX_SOURCES },
  ),
});
export type RemixWrite = Static<typeof RemixWrite>;

const Choice = Shape('RemixChoice', { ...choiceFields, as: Type.String() }, 'ignore');
const choices = Type.Array(Choice);

export const Remix = Shape(
  'Remix',
  {
    sources: Type.Array(
      Shape(
        'RemixSource',
        {
          server: described(Uuid(), 'Id of the server. A deleted server stays until it is removed from the remix.'),
          tools: choices,
          prompts: choices,
          resources: choices,
          resourceTemplates: choices,
        },
        'ignore',
      ),
    ),
  },
  'ignore',
);
export type Remix = Static<typeof Remix>;

export const RemixPreviewBody = Shape('RemixPreviewWrite', {
  remix: RemixWrite,
  server: described(
    withDefault(Nullable(Type.String({ maxLength: 100 })), null),
    'Id or slug of the remix to change; null for a new one.',
  ),
});
export type RemixPreviewBody = Static<typeof RemixPreviewBody>;

const List = Enum('RemixList', CHOSEN_LISTS);

export const RemixPreview = Shape(
  'RemixPreview',
  {
    capabilities: described(
      Type.Array(
        Shape(
          'RemixedCapability',
          {
            list: List,
            server: described(Uuid(), 'The source server.'),
            name: described(Type.String(), 'Name at the source server.'),
            as: described(Type.String(), 'Name at the remix.'),
            item: described(
              Nullable(JsonObject()),
              'The item that the remix would list. Null: the server is not known to offer it.',
            ),
            leftOut: described(
              Type.Array(Type.String()),
              'Pages that the item refers to and that are not chosen. The remix lists the item without them.',
            ),
          },
          'ignore',
        ),
      ),
      'The chosen capabilities, in the order of the lists.',
    ),
    conflicts: described(
      Type.Array(
        Shape(
          'RemixConflict',
          { list: List, name: Type.String(), servers: Type.Array(Uuid()), message: Type.String() },
          'ignore',
        ),
      ),
      'Names that two choices share. A remix with conflicts cannot be stored.',
    ),
  },
  'ignore',
);
export type RemixPreview = Static<typeof RemixPreview>;

/** The selection that a row stores. */
export function selectionIn({ connection }: { readonly connection: string }): Selection {
  return JSON.parse(connection) as Selection;
}

export function remixOf(row: { readonly connection: string }): Remix {
  const sources = selectionIn(row).sources.map(({ serverId, tools, prompts, resources, resourceTemplates }) => ({
    server: serverId,
    tools: [...tools],
    prompts: [...prompts],
    resources: [...resources],
    resourceTemplates: [...resourceTemplates],
  }));
  return { sources };
}
