import {
  Button,
  Dialog,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogSurface,
  DialogTitle,
  Switch,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { useEffect, useSyncExternalStore } from 'react';
import { storedChoice } from '../base/stored-choice.ts';
import { useTexts } from '../texts/use-texts.ts';
import { rowAfter, shortcutOf, shortcuts } from './shortcut.ts';

// Speech input presses single keys by accident (WCAG 2.1.4), so they can be switched off.
const choice = storedChoice('shortcuts', ['off'], () => localStorage);

const useStyles = makeStyles({
  list: {
    display: 'grid',
    gridTemplateColumns: 'max-content 1fr',
    gap: `${tokens.spacingVerticalS} ${tokens.spacingHorizontalL}`,
    alignItems: 'center',
  },
  key: {
    minWidth: '2rem',
    textAlign: 'center',
    fontFamily: tokens.fontFamilyMonospace,
    border: `1px solid ${tokens.colorNeutralStroke1}`,
    borderRadius: tokens.borderRadiusMedium,
  },
  text: { margin: 0 },
});

/** Performs the keyboard shortcuts, and lists them. */
export function Shortcuts({
  isListed,
  onListedChange,
}: {
  isListed: boolean;
  onListedChange: (isListed: boolean) => void;
}) {
  const { shortcuts: texts, common } = useTexts();
  const styles = useStyles();
  const isOff = useSyncExternalStore(choice.subscribe, choice.current) === 'off';
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && target.matches(typingFields);
      const hasDialog = document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null;
      const shortcut = event.defaultPrevented ? undefined : shortcutOf(event, { isTyping, hasDialog });
      if (shortcut === undefined || (isOff && shortcut !== 'help')) return;
      event.preventDefault();
      if (shortcut === 'help') onListedChange(true);
      else if (shortcut === 'search') focusSearch();
      else if (shortcut === 'select') selectRow();
      else focusRow(shortcut);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [isOff, onListedChange]);
  return (
    <Dialog open={isListed} onOpenChange={(_event, { open }) => onListedChange(open)}>
      <DialogSurface>
        <DialogBody>
          <DialogTitle>{texts.title}</DialogTitle>
          <DialogContent>
            <dl className={styles.list}>
              {Object.entries(shortcuts).map(([key, shortcut]) => (
                <div key={key} style={{ display: 'contents' }}>
                  <dt className={styles.key}>{key}</dt>
                  <dd className={styles.text}>{texts[shortcut]}</dd>
                </div>
              ))}
            </dl>
            <Switch
              label={texts.on}
              checked={!isOff}
              onChange={(_event, { checked }) => choice.choose(checked ? undefined : 'off')}
            />
          </DialogContent>
          <DialogActions>
            <Button onClick={() => onListedChange(false)}>{common.close}</Button>
          </DialogActions>
        </DialogBody>
      </DialogSurface>
    </Dialog>
  );
}

/** Where a key is a letter of the input, or chooses an option. */
const typingFields =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable], [role=option]';

function focusSearch(): void {
  document.querySelector<HTMLElement>('main [type=search], main [role=combobox]')?.focus();
}

/** The links that name the rows of a list. */
const rowLinks = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('main [data-row]')];
const rowOf = (element: Element | null): Element | null | undefined => element?.closest('[role=row], tr, li');

/** Rows around the visible ones exist too, so the next one does, and scrolls into view. */
function focusRow(shortcut: 'next' | 'previous'): void {
  const links = rowLinks();
  const row = rowOf(document.activeElement);
  const current = row ? links.findIndex((link) => row.contains(link)) : -1;
  const next = rowAfter(current, links.length, shortcut);
  if (next !== undefined) links[next]?.focus();
}

function selectRow(): void {
  rowOf(document.activeElement)?.querySelector<HTMLInputElement>('input[type=checkbox]')?.click();
}
