/** Routes that make MCP servers from files of the MCP registry and of MCP clients. */
import { platformRoute } from '../../http/platform-route.ts';
import { created, ok } from '../../http/route.ts';
import { serverOf } from '../servers/answers.ts';
import { refreshManifest } from '../servers/manifests.ts';
import { importServer, previewImport } from './operations.ts';
import { ImportedServer, ServerImport, ServerImportPreview, ServerImportPreviewRequest } from './schema.ts';

const inOrganization = { tags: ['Servers'], access: 'organization:admin', parameters: { org: 'text' } } as const;

export const serverImportRoutes = [
  platformRoute({
    ...inOrganization,
    method: 'POST',
    path: '/organizations/{org}/server-imports',
    operationId: 'importServer',
    summary: 'Import an MCP server from a file',
    description:
      'Registers an external server with a remote of a registry file, its variables filled in, and its headers stored encrypted; or a hosted server with a package of npm or PyPI that speaks over standard input and output, whose first build starts at once. `leftOut` names what has no effect. 422 says why a file cannot be imported: `packages_not_supported`, `transport_not_supported`, `no_remote`, `schema_not_supported`, `server_not_chosen`, `server_unknown`, `headers_not_supported`, `variable_missing`, `header_missing`, `header_unknown`, `environment_missing`, `environment_unknown`, `argument_missing`, `argument_unknown`, `value_not_allowed`, `secret_in_address`. 409 `slug_taken`.',
    conflicts: ['slug_taken'],
    body: ServerImport,
    responses: { 201: ImportedServer },
    handler: async ({ context, body }) => {
      const { row, leftOut } = await importServer(context, body);
      const read = row.kind === 'hosted' ? row : await refreshManifest(context.server, row);
      return created({ ...serverOf(context, read, 'admin'), leftOut });
    },
  }),
  platformRoute({
    ...inOrganization,
    method: 'POST',
    path: '/organizations/{org}/server-import-preview',
    operationId: 'previewServerImport',
    summary: 'Read which MCP servers a file offers',
    description:
      'The servers that can be imported from the file, what each asks for, what of the file has no effect, and why a server cannot be imported. Nothing is stored, and no secret of the file is in the answer.',
    body: ServerImportPreviewRequest,
    responses: { 200: ServerImportPreview },
    handler: async ({ context, body }) => ok(await previewImport(context, body)),
  }),
];
