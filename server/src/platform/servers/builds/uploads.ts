/** Archives of source code: first announced with their size and checksum, then uploaded. */

import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OrganizationContext } from '../../../context/platform-context.ts';
import { found, NamedConflict, ValidationFailed } from '../../../errors.ts';
import { Folders } from '../../../mcp/hosting/host/runner/folders.ts';
import { counted } from '../../../values/counted.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { audit } from '../server/audit.ts';
import { checkHosting } from '../server/hosted-access.ts';
import type { ServerRow } from '../server/queries.ts';
import { serverUploads, type UploadRow } from './queries.ts';
import type { UploadCreate } from './schema.ts';

/** Throws ValidationFailed when it is larger than the largest body. */
export function announceUpload(
  context: OrganizationContext,
  owner: ServerRow,
  given: UploadCreate,
): Promise<UploadRow> {
  checkHosting(context);
  const { maxBodyBytes } = context.server.config;
  if (given.sizeBytes > maxBodyBytes) refuse('sizeBytes', `must not be larger than ${maxBodyBytes} bytes`);
  return context.transaction(async (tx) => {
    const row = await serverUploads.insert(tx, {
      id: newTimeOrderedId(),
      created: context.now,
      server_id: owner.id,
      size_bytes: given.sizeBytes,
      checksum_sha256: given.checksumSha256,
      stored: false,
    });
    await audit(context, tx, 'upload', owner, { uploadId: row.id, ...given });
    return row;
  });
}

/** 409 `already_stored`; 422 when the bytes differ from the announced ones. */
export async function storeUpload(
  context: OrganizationContext,
  owner: ServerRow,
  id: string,
  bytes: Buffer,
): Promise<UploadRow> {
  checkHosting(context);
  const row = found(await serverUploads.first(context.db, { server_id: owner.id, id }), 'Upload not found.');
  if (row.stored) throw new NamedConflict('already_stored', 'The bytes of this upload have already arrived.');
  if (bytes.length !== row.size_bytes) {
    refuse('sizeBytes', `announces ${counted(row.size_bytes, 'byte')}, but ${bytes.length} arrived`);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== row.checksum_sha256) {
    refuse('checksumSha256', 'the checksum of the bytes is not the announced one');
  }
  const path = new Folders(context.server.config.home).upload(id);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${newTimeOrderedId()}`;
  await writeFile(part, bytes, { mode: 0o600, flush: true });
  await rename(part, path);
  await context.transaction((tx) => serverUploads.changeAll(tx, { server_id: owner.id, id }, { stored: true }));
  return { ...row, stored: true };
}

function refuse(field: string, msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', field], msg }]);
}
