import type { Migration } from '../migrate.ts';

/**
 * Deployments and flow runs that name a block document go with it, and so does what a deployment has for itself. Source:
 * reference behaviour (0009-blocks had them lose the name).
 */
const takeAlong = `
  delete from concurrency_limit where workspace = old.workspace and name in
    (select 'deployment:' || id from deployment where workspace = old.workspace
      and (infrastructure_document_id = old.id or storage_document_id = old.id));
  delete from deployment
    where workspace = old.workspace and (infrastructure_document_id = old.id or storage_document_id = old.id);
  delete from flow_run where workspace = old.workspace and infrastructure_document_id = old.id;`;

export const blocksTakeAlong: Migration = {
  name: '0049-blocks-take-along',
  statements: {
    sqlite: [
      'drop trigger block_document_forgotten',
      `create trigger block_document_takes_along after delete on block_document begin ${takeAlong} end`,
    ],
    postgres: [
      'drop trigger block_document_forgotten on block_document',
      'drop function forget_block_document()',
      `create function take_along_with_block_document() returns trigger language plpgsql as $take$
      begin ${takeAlong} return null; end $take$`,
      `create trigger block_document_takes_along after delete on block_document
        for each row execute function take_along_with_block_document()`,
    ],
  },
};
