import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { buttonClass, IconButton } from '../button.tsx';
import { type Notice, notify, notifyProblem, takeNotices, type Undo } from './notify.ts';

const MOST_SHOWN = 3;
/** A notice goes by itself after this time, unless the pointer or the focus is in it. */
const SHOWN_MILLISECONDS = 8_000;

interface Data {
  readonly detail: ReactNode;
}

const toasts = Toast.createToastManager<Data>();

/** Shows the newest notices above everything else. F6 moves the focus to them. */
export function NoticeList() {
  useEffect(() => takeNotices(show), []);
  return (
    <Toast.Provider toastManager={toasts} timeout={SHOWN_MILLISECONDS} limit={MOST_SHOWN}>
      <Toast.Portal>
        <Toast.Viewport
          data-screen-only
          className="fixed right-4 bottom-4 z-60 flex w-90 max-w-[calc(100vw-2rem)] flex-col gap-2 outline-none"
        >
          <Notices />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

/** A notice asks nothing of the person. */
const noDialog = { role: 'group', 'aria-modal': undefined } as const;

function Notices() {
  return Toast.useToastManager<Data>().toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      {...noDialog}
      className="rounded-panel border border-line bg-surface shadow-raised data-limited:hidden data-[type=problem]:border-failed"
    >
      <Toast.Content className="flex items-center gap-2 py-1.5 pr-1.5 pl-3">
        <Toast.Title render={<p />} className="min-w-0 flex-1 py-1 wrap-break-word" />
        {toast.data?.detail}
        <Toast.Action className={buttonClass()} />
        <Toast.Close
          aria-hidden={undefined}
          render={
            <IconButton label="Dismiss">
              <X size={14} />
            </IconButton>
          }
        />
      </Toast.Content>
    </Toast.Root>
  ));
}

function show({ text, isProblem, detail, until, undo }: Notice): void {
  const data = { detail };
  if (isProblem) {
    // A problem whose text is shown already gets no second notice.
    toasts.add({ id: text, title: text, data, type: 'problem', priority: 'high', timeout: 0 });
    return;
  }
  const button = undo && { actionProps: { children: 'Undo', onClick: () => void takeBack(undo) } };
  const id = toasts.add({ title: text, data, ...button, ...(until === undefined ? {} : { timeout: 0 }) });
  const takeBack = async ({ act }: Undo) => {
    toasts.close(id);
    await act().then(notify, notifyProblem);
  };
  if (undo?.within !== undefined) setTimeout(() => toasts.update(id, { actionProps: undefined }), undo.within);
  void until?.finally(() => toasts.close(id)).catch(() => {});
}
