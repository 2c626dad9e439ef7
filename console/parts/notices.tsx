import { Toast, ToastTitle, Toaster, useId, useToastController } from '@fluentui/react-components';
import { createContext, useCallback, useContext, type ReactNode } from 'react';

const Notify = createContext<(text: string) => void>(() => undefined);

/** Short confirmations in a corner. Questions and failures are shown where they arise instead. */
export function Notices({ children }: { children: ReactNode }) {
  const toaster = useId('notices');
  const { dispatchToast } = useToastController(toaster);
  const notify = useCallback(
    (text: string) =>
      dispatchToast(
        <Toast>
          <ToastTitle>{text}</ToastTitle>
        </Toast>,
        { intent: 'success', timeout: 4000 },
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

export const useNotify = (): ((text: string) => void) => useContext(Notify);
