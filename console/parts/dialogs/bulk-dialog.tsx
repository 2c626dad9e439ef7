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
  obstacle,
  ...form
}: Omit<ComponentProps<typeof BulkForm<T>>, 'items' | 'question' | 'isPossible' | 'onClose'> & {
  label: (count: number) => string;
  icon: JSX.Element;
  items: readonly T[];
  question: (count: number) => string;
  /** Why these items cannot be acted on together. */
  obstacle?: (items: readonly T[]) => string | false;
}) {
  const [asked, setAsked] = useState<readonly T[]>();
  const close = () => setAsked(undefined);
  const impossible = asked && obstacle?.(asked);
  return (
    <>
      {items.length > 0 && (
        <Button icon={icon} aria-haspopup="dialog" onClick={() => setAsked(items)}>
          {label(items.length)}
        </Button>
      )}
      <Dialog open={asked !== undefined} modalType="alert" onOpenChange={close}>
        <DialogSurface>
          {asked && (
            <BulkForm
              {...form}
              items={asked}
              question={impossible || question(asked.length)}
              isPossible={!impossible}
              onClose={close}
            />
          )}
        </DialogSurface>
      </Dialog>
    </>
  );
}
