import { Toast, ToastTitle, Toaster, useId, useToastController } from '@fluentui/react-components';
import { createContext, useCallback, useContext, type ReactNode } from 'react';

type Intent = 'success' | 'warning';

const Notify = createContext<(text: string, intent?: Intent) => void>(() => undefined);

/** Short confirmations in a corner. Questions and failures are shown where they arise instead. */
export function Notices({ children }: { children: ReactNode }) {
  const toaster = useId('notices');
  const { dispatchToast } = useToastController(toaster);
  const notify = useCallback(
    (text: string, intent: Intent = 'success') =>
      dispatchToast(
        <Toast>
          <ToastTitle>{text}</ToastTitle>
        </Toast>,
        { intent, timeout: 4000 },
      ),
    [dispatchToast],
  );
  return (
    <Notify value={notify}>
      {children}
      <Toaster toasterId={toaster} position="bottom-end" />
    </Notify>
  );
}

export const useNotify = (): ((text: string, intent?: Intent) => void) => useContext(Notify);
