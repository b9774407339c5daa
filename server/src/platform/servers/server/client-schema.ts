import { described, Nullable, Shape, type Static, Type } from '../../../schema/kinds.ts';

export const ServerClient = Shape(
  'ServerClient',
  {
    id: described(Type.String(), 'Id of the client, such as `claude-code`.'),
    title: Type.String(),
    note: Nullable(Type.String()),
    link: described(
      Nullable(Type.String()),
      'A link that opens the client, which asks whether to add the server: `cursor://…`, `vscode:…` or an https address.',
    ),
    parts: described(
      Type.Array(Shape('ServerClientPart', { title: Type.String(), text: Type.String() }, 'ignore')),
      'Commands and files to copy. `sbx_…` stands for a key.',
    ),
  },
  'ignore',
);
export type ServerClient = Static<typeof ServerClient>;
