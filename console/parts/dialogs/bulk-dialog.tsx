import { Button, Dialog, DialogSurface } from '@fluentui/react-components';
import { useState, type ComponentProps, type JSX } from 'react';
import { BulkForm } from './bulk-form.tsx';

/**
 * A button that opens the dialog of an action on many items. The dialog keeps the items of the click: a refresh of the list
 * behind it may change or remove them.
 */
export function BulkButton<T>({
  label,
  icon,
  items,
  question,
  ...form
}: Omit<ComponentProps<typeof BulkForm<T>>, 'items' | 'question' | 'onClose'> & {
  label: (count: number) => string;
  icon: JSX.Element;
  items: readonly T[];
  question: (count: number) => string;
}) {
  const [asked, setAsked] = useState<readonly T[]>();
  const close = () => setAsked(undefined);
  return (
    <>
      {items.length > 0 && (
        <Button icon={icon} aria-haspopup="dialog" onClick={() => setAsked(items)}>
          {label(items.length)}
        </Button>
      )}
      <Dialog open={asked !== undefined} modalType="alert" onOpenChange={close}>
        <DialogSurface>
          {asked && <BulkForm {...form} items={asked} question={question(asked.length)} onClose={close} />}
        </DialogSurface>
      </Dialog>
    </>
  );
}
