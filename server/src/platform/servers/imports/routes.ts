/** Routes that make MCP servers from files of the MCP registry and of MCP clients. */
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { refreshManifest } from '../manifest/manifests.ts';
import { serverOf } from '../server/answers.ts';
import { importServer, previewImport } from './operations.ts';
import { ImportedServer, ServerImport, ServerImportPreview, ServerImportPreviewRequest } from './schema.ts';

const { post } = organizationRoutes('Servers', 'admin');

export const serverImportRoutes = [
  post('/server-imports', 'importServer', {
    summary: 'Import an MCP server from a file',
    description:
      'Registers an external server with a remote of a registry file, fills in its variables, and stores its headers encrypted; or registers a hosted server with a package of npm or PyPI that uses standard input and output, and starts its first build. `leftOut` names the members without an effect. 422 says why a file cannot be imported: `packages_not_supported`, `transport_not_supported`, `no_remote`, `schema_not_supported`, `server_not_chosen`, `server_unknown`, `headers_not_supported`, `variable_missing`, `header_missing`, `header_unknown`, `environment_missing`, `environment_unknown`, `argument_missing`, `argument_unknown`, `value_not_allowed`, `secret_in_address`. 409 `slug_taken`.',
    conflicts: ['slug_taken'],
    body: ServerImport,
    answers: [201, ImportedServer],
    handler: async ({ context, body }) => {
      const { row, leftOut } = await importServer(context, body);
      const read = row.kind === 'hosted' ? row : await refreshManifest(context.server, row);
      return { ...serverOf(context, read, 'admin'), leftOut };
    },
  }),
  post('/server-import-preview', 'previewServerImport', {
    summary: 'List the MCP servers of a file',
    description:
      'The servers of the file, the values that each needs, the members without an effect, and the reasons that prevent an import. Nothing is stored, and the answer contains no secret of the file.',
    body: ServerImportPreviewRequest,
    answers: ServerImportPreview,
    handler: ({ context, body }) => previewImport(context, body),
  }),
];
