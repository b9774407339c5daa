/** Opens any page, an object by its name or by its id, and runs the actions of the open page. */
import { Combobox } from '@base-ui/react/combobox';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useOrganization } from '../api/access.ts';
import { organizationHitsQuery, workspaceHitsQuery } from './palette-hits.ts';
import type { Target } from './palette-targets.ts';
import { useTargets } from './use-targets.ts';

export function Palette({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const router = useRouter();
  const [text, setText] = useState('');
  // Not delayed, so that Enter never chooses an entry for an earlier text.
  const wanted = text.trim();
  const isAsking = isOpen && wanted.length > 1;
  const mayRead = useMay('flow_runs:read');
  const organization = useOrganization(undefined)?.slug ?? '';
  const { data: objects = [] } = useQuery({ ...workspaceHitsQuery(wanted), enabled: isAsking && mayRead });
  const { data: others = [] } = useQuery({
    ...organizationHitsQuery(organization, wanted),
    enabled: isAsking && organization !== '',
  });
  const { first, last } = useTargets(wanted);
  const targets: readonly Target[] = [...first, ...objects, ...others, ...last];
  const close = () => {
    setText('');
    onClose();
  };
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          aria-label="Search"
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-150 -translate-x-1/2 overflow-hidden rounded-dialog border border-line bg-surface shadow-raised outline-none"
        >
          <Combobox.Root
            items={targets}
            filter={null}
            open
            inline
            autoHighlight
            inputValue={text}
            onInputValueChange={setText}
            itemToStringLabel={(item: Target) => item.name}
            onValueChange={(item: Target | null) => {
              if (!item) return;
              close();
              if (item.act) item.act();
              else if (item.path !== undefined) void router.navigate({ to: item.path });
            }}
          >
            <Combobox.Input
              aria-label="Name or id"
              placeholder="A name, an id, a page, an action, or state:failed"
              className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none placeholder:text-quiet"
            />
            <Combobox.List className="max-h-[50vh] overflow-y-auto p-1">
              {(item: Target) => (
                <Combobox.Item
                  key={item.key}
                  value={item}
                  className="flex h-9 items-center gap-3 rounded-control px-3 data-highlighted:bg-hover"
                >
                  <span className="flex-1 truncate">{item.name}</span>
                  <span className="text-xs text-quiet">{item.kind}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
            <Combobox.Empty className="px-4 py-6 text-quiet empty:hidden">
              {wanted.length > 1 ? 'Nothing has this name or id.' : null}
            </Combobox.Empty>
          </Combobox.Root>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
