/**
 * The block with which automations mail members of the organization. If the server sends mail, each workspace has its
 * type and a document that mails the administrators, so that any client can name it in `send-notification`: the action
 * of the Prefect API always names a block document. Both stay if the setting is removed; a deleted document is not
 * created again.
 */
import { type Context, within } from '../../../context/context.ts';
import { findConfiguration, putConfiguration } from '../../../database/opening/configuration.ts';
import { Conflict } from '../../../errors.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { createBlockDocument } from '../documents/operations.ts';
import { blockSchemaChecksum } from '../schemas/checksum.ts';
import { blockSchemas } from '../schemas/queries.ts';
import { installCollection } from '../types/block-collection.ts';
import { blockTypes } from '../types/queries.ts';

/** Slug of the type. */
export const MEMBER_EMAIL = 'member-email';
const DOCUMENT = 'administrators';
const STAMP_KEY = 'member-email';
const VERSION = '1.0.0';

const description =
  'Mails notifications to members of the organization through the mail server of Signalbox. It needs no credentials.';

const fields = {
  block_type_slug: MEMBER_EMAIL,
  title: 'MemberEmail',
  type: 'object',
  description,
  properties: {
    to_emails: {
      title: 'Members',
      description: 'E-mail addresses of members of the organization. Empty: all administrators.',
      type: 'array',
      items: { type: 'string' },
      default: [],
      position: 0,
    },
  },
  secret_fields: [],
};

/** Runs once for each workspace, if the server sends mail. */
export async function installMemberEmail(context: Context): Promise<void> {
  if (!context.server.mail.isOn || (await findConfiguration(context.db, STAMP_KEY)) !== undefined) return;
  try {
    await context.transaction(async (tx) => {
      const inside = within(context, tx);
      const block_type_id = await installType(inside);
      const data = '{"to_emails": []}' as JsonText;
      await createBlockDocument(inside, { ...block_type_id, name: DOCUMENT, data, is_anonymous: false });
      await putConfiguration(tx, STAMP_KEY, jsonTextOf(VERSION));
    });
  } catch (error) {
    // Another process installed it at the same moment.
    if (!(error instanceof Conflict)) throw error;
  }
}

async function installType(inside: Context): Promise<{ block_type_id: string; block_schema_id: string }> {
  const checksum = blockSchemaChecksum(parseObject(jsonTextOf(fields)));
  const type = {
    slug: MEMBER_EMAIL,
    name: 'Member Email',
    package: 'signalbox',
    logo_url: null,
    documentation_url: null,
    description,
    code_example: null,
    is_protected: false,
  };
  const schema = { type: MEMBER_EMAIL, version: VERSION, checksum, capabilities: ['notify'], fields, references: [] };
  await installCollection(inside, { types: [type], schemas: [schema] });
  const [storedType, storedSchema] = [
    await blockTypes.first(inside.db, { slug: MEMBER_EMAIL }),
    await blockSchemas.first(inside.db, { checksum, version: VERSION }),
  ];
  if (!storedType || !storedSchema) throw new Error('The block for mail was not installed.');
  return { block_type_id: storedType.id, block_schema_id: storedSchema.id };
}
