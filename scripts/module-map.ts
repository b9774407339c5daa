/** The page of `docs/architecture/` that lists the rooms of the server, from the layers that a test holds the imports to. */
import { type Layer, layers, orchestrationLayers } from '../server/test/conformance/layers.ts';
import { wrapped } from './wrapped.ts';

/** Characters of a line. */
const WIDTH = 120;

export function moduleMapPage(): string {
  return `<!-- Written by npm run docs from server/test/conformance/layers.ts. Do not edit by hand. -->

# Module map

Each number is a layer, from top to bottom. A file imports from its own layer and from those below. Only files that declare
or serve routes import \`http/\`. A test compares the imports with this list.

${listOf(layers)}

## Inside \`orchestration/\`

The imports of these folders point down as well.

${listOf(orchestrationLayers, 'orchestration/')}
`;
}

/** A layer is an item, and each of its rooms a sentence. */
function listOf(list: readonly Layer[], above = ''): string {
  return list
    .map((rooms, index) => {
      const sentences = Object.entries(rooms).map(([room, holds]) => `\`${above}${nameOf(room)}\`: ${holds}.`);
      const mark = `${index + 1}. `;
      return wrapped(mark + sentences.join(' '), ' '.repeat(mark.length), WIDTH);
    })
    .join('\n');
}

function nameOf(room: string): string {
  return /\.\w+$/.test(room) ? room : `${room}/`;
}
