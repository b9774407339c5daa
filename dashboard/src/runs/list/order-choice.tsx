/** Chooses the order of runs where the table has no headings to click. */
import { Field } from '../../components/form/form-dialog.tsx';
import type { RunsSearch } from './run-fields.ts';
import { orderChoices, orderOf } from './runs-order.ts';

interface Props {
  readonly search: RunsSearch;
  readonly change: (part: RunsSearch) => void;
}

export function OrderChoice({ search, change }: Props) {
  return (
    <Field label="Order">
      <select className="field pr-6" value={orderOf(search)} onChange={(event) => change({ sort: event.target.value })}>
        {orderChoices.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </Field>
  );
}
