/** Chooses one object by its name, with a search while typing. */
import { Combobox } from '@base-ui/react/combobox';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';

export type PickedKind =
  | 'flow'
  | 'deployment'
  | 'work-pool'
  | 'work-queue'
  | 'automation'
  | 'notification-block'
  | 'webhook-block';

export interface Picked {
  readonly id: string;
  readonly name: string;
}

const LIMIT = 50;

type BlockFilter = Pick<
  components['schemas']['Body_read_block_documents_block_documents_filter_post'],
  'block_schemas' | 'block_types'
>;

async function readBlocks(filter: BlockFilter, like: string): Promise<readonly Picked[]> {
  const body = { ...filter, limit: LIMIT, offset: 0, include_secrets: false };
  const found = await answered(api.POST('/block_documents/filter', { body }));
  return found
    .map(({ id, name, block_type_name }) => ({ id, name: `${name ?? ''} (${block_type_name ?? ''})` }))
    .filter(({ name }) => name.toLowerCase().includes(like.toLowerCase()));
}

/** The objects whose name contains the text. The flow is shown before a deployment, the pool before a queue. */
const readers: Readonly<Record<PickedKind, (like: string) => Promise<readonly Picked[]>>> = {
  flow: (like) => answered(api.POST('/flows/filter', { body: { flows: { name: { like_: like } }, limit: LIMIT } })),
  deployment: async (like) => {
    const found = await answered(
      api.POST('/deployments/filter', { body: { deployments: { name: { like_: like } }, limit: LIMIT } }),
    );
    const flows = await answered(
      api.POST('/flows/filter', { body: { flows: { id: { any_: found.map(({ flow_id }) => flow_id) } } } }),
    );
    const names = new Map(flows.map(({ id, name }) => [id, name]));
    return found.map(({ id, name, flow_id }) => ({ id, name: `${names.get(flow_id) ?? ''}/${name}` }));
  },
  'work-pool': (like) =>
    answered(api.POST('/work_pools/filter', { body: { work_pools: {}, limit: LIMIT } })).then((found) =>
      found.filter(({ name }) => name.includes(like)),
    ),
  'work-queue': async (like) => {
    const found = await answered(api.POST('/work_queues/filter', { body: { limit: LIMIT } }));
    return found
      .map(({ id, name, work_pool_name }) => ({ id, name: `${work_pool_name ?? ''}/${name}` }))
      .filter(({ name }) => name.includes(like));
  },
  automation: (like) =>
    answered(api.POST('/automations/filter', { body: { limit: LIMIT } })).then((found) =>
      found.filter(({ name }) => name.toLowerCase().includes(like.toLowerCase())),
    ),
  'notification-block': (like) => readBlocks({ block_schemas: { block_capabilities: { all_: ['notify'] } } }, like),
  'webhook-block': (like) => readBlocks({ block_types: { slug: { any_: ['webhook'] } } }, like),
};

interface Props {
  readonly kind: PickedKind;
  /** Label for screen readers. */
  readonly label: string;
  /** Name of the chosen object. */
  readonly chosen?: string | undefined;
  readonly onPick: (picked: Picked) => void;
  /** True to choose several objects, one after the other. */
  readonly clears?: boolean;
}

export function ObjectPicker({ kind, label, chosen = '', onPick, clears = false }: Props) {
  const [typed, setTyped] = useState(chosen);
  const [isOpen, setOpen] = useState(false);
  const like = useDeferredValue(typed === chosen ? '' : typed.trim());
  const { data: found = [] } = useQuery({
    queryKey: ['picker', kind, like],
    enabled: isOpen,
    queryFn: () => readers[kind](like.includes('/') ? (like.split('/').at(-1) ?? '') : like),
  });
  return (
    <Combobox.Root
      items={found}
      filter={null}
      open={isOpen}
      onOpenChange={setOpen}
      inputValue={typed}
      onInputValueChange={setTyped}
      itemToStringLabel={(item: Picked) => item.name}
      onValueChange={(item: Picked | null) => {
        if (!item) return;
        onPick(item);
        setTyped(clears ? '' : item.name);
        setOpen(false);
      }}
    >
      <Combobox.Input aria-label={label} placeholder={label} className="field w-56 max-w-full" />
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-50 outline-none">
          <Combobox.Popup className="w-(--anchor-width) rounded-panel border border-line bg-surface p-1 shadow-raised outline-none">
            <Combobox.Empty className="px-2 py-1.5 text-quiet empty:hidden">Nothing has this name.</Combobox.Empty>
            <Combobox.List className="max-h-64 overflow-y-auto">
              {(item: Picked) => (
                <Combobox.Item
                  key={item.id}
                  value={item}
                  className="truncate rounded-control px-2 py-1 data-highlighted:bg-hover"
                >
                  {item.name}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
