/** The actions on a list as a whole: which columns it shows, and its export. */
import { Columns3, Download } from 'lucide-react';
import { setTableLook, usePreferences } from '../../preferences/preferences.ts';
import { Button, IconButton } from '../button.tsx';
import { Menu, MenuCheck, MenuItem } from '../menu.tsx';
import type { Column } from '../table/data-table.tsx';

export type ExportFormat = 'csv' | 'ndjson';

interface Props<Row> {
  /** The name by which the columns are remembered. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  /** Downloads what is shown. */
  readonly onExport?: ((format: ExportFormat) => unknown) | undefined;
}

export function ListActions<Row>({ name, columns, onExport }: Props<Row>) {
  return (
    <>
      {onExport ? (
        <Menu
          trigger={
            <Button>
              <Download size={14} /> Export
            </Button>
          }
        >
          <MenuItem onSelect={() => onExport('csv')}>As CSV</MenuItem>
          <MenuItem onSelect={() => onExport('ndjson')}>As JSON lines</MenuItem>
        </Menu>
      ) : null}
      <ColumnMenu name={name} columns={columns} />
    </>
  );
}

function ColumnMenu<Row>({ name, columns }: Pick<Props<Row>, 'name' | 'columns'>) {
  const shown = useShownColumns(name) ?? columns.map(({ id }) => id);
  const toggle = (id: string, isOn: boolean) =>
    setTableLook(name, { shown: isOn ? [...shown, id] : shown.filter((one) => one !== id) });
  return (
    <Menu
      trigger={
        <IconButton label="Choose columns">
          <Columns3 size={15} />
        </IconButton>
      }
    >
      {columns.map(({ id, title }) => (
        <MenuCheck key={id} checked={shown.includes(id)} onChange={(isOn) => toggle(id, isOn)}>
          {title}
        </MenuCheck>
      ))}
      <MenuItem onSelect={() => setTableLook(name, { widths: {} })}>Fit all to their content</MenuItem>
    </Menu>
  );
}

/** Ids of the columns that somebody has chosen; undefined for those that the list shows by itself. */
export function useShownColumns(name: string): readonly string[] | undefined {
  return usePreferences().tables[name]?.shown;
}
