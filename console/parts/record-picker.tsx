import { Combobox, Field, Option, makeStyles, tokens } from '@fluentui/react-components';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { useSettled } from '../base/use-settled.ts';
import { useProblemText } from './use-problem-text.ts';
import { searchable } from '../base/searchable.ts';

export interface PickerItem {
  readonly id: string;
  readonly name: string;
  /** Distinguishes items with the same name. */
  readonly detail?: string;
}

/** A list of records that the service searches. */
export interface PickerSource {
  /** Key of its results in the cache. */
  readonly kind: string;
  /** @param text of at least one letter or digit, or undefined for the whole list */
  readonly find: (
    text: string | undefined,
    signal: AbortSignal,
    cursor?: string,
  ) => Promise<{ readonly items: readonly PickerItem[]; readonly nextCursor: string | null }>;
}

const typingPauseMs = 250;

const useStyles = makeStyles({
  field: { maxWidth: '32rem', marginBottom: tokens.spacingVerticalL },
  box: { minWidth: 0 },
  list: { maxHeight: '20rem' },
  detail: { color: tokens.colorNeutralForeground2 },
});

/** A field that searches while the user types. Text without a chosen item is dropped. */
export function RecordPicker({
  label,
  placeholder,
  source: { kind, find },
  chosenName = '',
  isRequired = false,
  onChoose,
}: {
  label: string;
  placeholder: string;
  source: PickerSource;
  chosenName?: string;
  isRequired?: boolean;
  /** Called with undefined when the user empties the field. */
  onChoose: (item: PickerItem | undefined) => void;
}) {
  const { common } = useTexts();
  const styles = useStyles();
  const textOf = useProblemText();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<string>();
  const text = useSettled(searchable(typed), typingPauseMs);
  const found = useQuery({
    queryKey: [kind, 'search', text ?? ''],
    queryFn: ({ signal }) => find(text, signal),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  const { items = [], nextCursor = null } = found.data ?? {};
  const choose = (id: string | undefined): void => {
    const item = items.find((each) => each.id === id);
    if (item) onChoose(item);
  };
  const message = found.error
    ? textOf(found.error)
    : found.isPending
      ? common.loading
      : items.length === 0
        ? common.noMatch
        : nextCursor !== null
          ? common.moreMatches
          : undefined;
  return (
    <Field label={label} required={isRequired} className={styles.field}>
      <Combobox
        className={styles.box}
        listbox={{ className: styles.list }}
        freeform
        inlinePopup
        placeholder={placeholder}
        expandIcon={{ 'aria-label': common.open }}
        value={typed ?? chosenName}
        selectedOptions={[]}
        open={isOpen}
        onOpenChange={(_event, { open }) => {
          setOpen(open);
          if (!open) setTyped(undefined);
        }}
        onChange={({ target }) => {
          setTyped(target.value);
          setOpen(true);
          if (target.value === '') onChoose(undefined);
        }}
        onOptionSelect={(_event, { optionValue }) => choose(optionValue)}
      >
        {items.map(({ id, name, detail }) => (
          <Option key={id} value={id} text={name}>
            <span>
              {name}
              {detail !== undefined && <span className={styles.detail}> · {detail}</span>}
            </span>
          </Option>
        ))}
        {message !== undefined && (
          <Option disabled text="">
            {message}
          </Option>
        )}
      </Combobox>
    </Field>
  );
}
