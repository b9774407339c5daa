/** The artifacts that a flow run or a task run has made. */
import { useRows } from '../api/list.ts';
import { ListTable } from '../components/table/list-table.tsx';
import { columns, pageOf } from './artifact-columns.tsx';
import { artifactsQuery } from './queries.ts';

type Props = { readonly flow_run_id: string } | { readonly task_run_id: string };

export function ArtifactsOfRun(of: Props) {
  return (
    <ListTable
      label="Artifacts"
      list={useRows(artifactsQuery(of), ({ artifacts }) => artifacts)}
      columns={columns}
      pageOf={pageOf}
      isInset
      empty={<p className="px-6 text-quiet max-sm:px-4">It has made no artifacts.</p>}
    />
  );
}
