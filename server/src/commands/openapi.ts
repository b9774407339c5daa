/** Prints the OpenAPI documents, for generators of clients; the dashboard's own types are made from them. */
import { documents } from '../app.ts';
import type { Command } from './command.ts';

function print(document: object): number {
  console.log(JSON.stringify(document));
  return 0;
}

export const openApiCommands: readonly Command[] = [
  {
    words: 'openapi',
    says: 'Print the OpenAPI document of the API of a workspace.',
    flags: [],
    json: true,
    run: () => print(documents.workspace()),
  },
  {
    words: 'openapi platform',
    says: 'Print the OpenAPI document of the platform API.',
    flags: [],
    json: true,
    run: () => print(documents.platform()),
  },
];
