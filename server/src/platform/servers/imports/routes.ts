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
      'Registers an external server with a remote of a registry file, its variables filled in, and its headers stored encrypted; or a hosted server with a package of npm or PyPI that speaks over standard input and output, whose first build starts at once. `leftOut` names what has no effect. 422 says why a file cannot be imported: `packages_not_supported`, `transport_not_supported`, `no_remote`, `schema_not_supported`, `server_not_chosen`, `server_unknown`, `headers_not_supported`, `variable_missing`, `header_missing`, `header_unknown`, `environment_missing`, `environment_unknown`, `argument_missing`, `argument_unknown`, `value_not_allowed`, `secret_in_address`. 409 `slug_taken`.',
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
    summary: 'Read which MCP servers a file offers',
    description:
      'The servers that can be imported from the file, what each asks for, what of the file has no effect, and why a server cannot be imported. Nothing is stored, and no secret of the file is in the answer.',
    body: ServerImportPreviewRequest,
    answers: ServerImportPreview,
    handler: ({ context, body }) => previewImport(context, body),
  }),
];
