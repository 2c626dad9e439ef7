import { Field, Text, makeStyles, mergeClasses, tokens } from '@fluentui/react-components';
import { useLayoutEffect, useRef, useState } from 'react';
import { warningText } from '../../texts/text-of-code.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { narrow } from '../../theme/widths.ts';
import { useMatches } from '../../theme/use-matches.ts';
import { pieces, stepText, topsOf, type Quote } from './quotes.ts';

const gap = 8;

// Both have the same box and font, so each line of one is at the same place as that of the other.
const page = {
  gridArea: '1 / 1',
  boxSizing: 'border-box',
  width: '100%',
  minHeight: '16rem',
  margin: 0,
  padding: tokens.spacingHorizontalL,
  border: `1px solid ${tokens.colorNeutralStrokeAccessible}`,
  borderRadius: tokens.borderRadiusMedium,
  fontFamily: tokens.fontFamilyBase,
  fontSize: tokens.fontSizeBase300,
  lineHeight: tokens.lineHeightBase400,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  overflow: 'hidden',
} as const;

const useStyles = makeStyles({
  frame: { display: 'grid', gap: tokens.spacingHorizontalM },
  withNotes: {
    gridTemplateColumns: 'minmax(0, 75ch) minmax(10rem, 16rem)',
    [narrow]: { gridTemplateColumns: 'minmax(0, 1fr)' },
  },
  field: { maxWidth: '75ch', minWidth: 0 },
  text: { display: 'grid' },
  edited: {
    ...page,
    resize: 'none',
    backgroundColor: 'transparent',
    color: tokens.colorNeutralForeground1,
    ':focus-visible': { outline: `2px solid ${tokens.colorStrokeFocus2}` },
  },
  // Gives the field its height, and marks words behind its transparent background.
  marked: { ...page, visibility: 'hidden' },
  mark: {
    visibility: 'visible',
    color: 'transparent',
    backgroundColor: tokens.colorPaletteYellowBackground2,
    borderRadius: tokens.borderRadiusSmall,
    boxShadow: `0 2px 0 ${tokens.colorPaletteYellowBorderActive}`,
  },
  derived: {
    visibility: 'visible',
    color: 'transparent',
    backgroundColor: 'transparent',
    boxShadow: 'none',
    borderBottom: `2px dotted ${tokens.colorBrandStroke1}`,
  },
  notes: { position: 'relative', listStyle: 'none', margin: 0, padding: 0 },
  note: {
    position: 'absolute',
    left: 0,
    right: 0,
    [narrow]: { position: 'static', marginBottom: tokens.spacingVerticalXS },
  },
  show: {
    width: '100%',
    padding: tokens.spacingHorizontalS,
    textAlign: 'left',
    font: 'inherit',
    fontSize: tokens.fontSizeBase200,
    color: tokens.colorNeutralForeground1,
    backgroundColor: tokens.colorPaletteYellowBackground1,
    border: `1px solid ${tokens.colorPaletteYellowBorderActive}`,
    borderRadius: tokens.borderRadiusMedium,
    overflowWrap: 'anywhere',
    cursor: 'pointer',
    ':focus-visible': { outline: `2px solid ${tokens.colorStrokeFocus2}` },
  },
  showStep: {
    backgroundColor: tokens.colorNeutralBackground1,
    border: `1px dotted ${tokens.colorBrandStroke1}`,
  },
});

/**
 * A text to edit, with warnings, and steps from the order, beside the words that they are about; below it in narrow
 * windows. The words show their note on hover, too.
 */
export function AnnotatedText({
  value,
  quotes,
  hasTitle,
  onChange,
}: {
  value: string;
  quotes: readonly Quote[];
  hasTitle: boolean;
  onChange: (value: string) => void;
}) {
  const { activities: texts } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const text = useRef<HTMLTextAreaElement>(null);
  const marked = useRef<HTMLDivElement>(null);
  const notes = useRef<HTMLUListElement>(null);
  const tops = useTops(marked, notes, quotes);
  const noteOf = ({ note }: Quote): string =>
    'warning' in note ? warningText(note.warning, language) : stepText(note.derived);
  // The marks are behind the text field, which receives the pointer.
  const showNoteAt = ({ clientX, clientY, currentTarget }: React.MouseEvent<HTMLTextAreaElement>): void => {
    const under = document.elementsFromPoint(clientX, clientY);
    const mark = under.find(
      (each): each is HTMLElement => each instanceof HTMLElement && 'note' in each.dataset,
    );
    currentTarget.title = mark?.dataset['note'] ?? '';
  };
  const show = ({ start, end }: Quote): void => {
    text.current?.focus();
    text.current?.setSelectionRange(start, end);
  };
  return (
    <div className={mergeClasses(styles.frame, quotes.length > 0 && styles.withNotes)}>
      <Field label={texts.text} required className={styles.field}>
        {(props) => (
          <div className={styles.text}>
            <div ref={marked} className={styles.marked} aria-hidden>
              {pieces(value, quotes).map(({ text, quote }) =>
                quote ? (
                  <mark
                    key={quote.start}
                    className={'derived' in quote.note ? styles.derived : styles.mark}
                    data-note={noteOf(quote)}
                  >
                    {text}
                  </mark>
                ) : (
                  text
                ),
              )}
              {/* Without it, a line break at the end has no line. */}
              {'\u200B'}
            </div>
            <textarea
              {...props}
              ref={text}
              className={styles.edited}
              lang="de"
              maxLength={20_000}
              value={value}
              onChange={({ target }) => onChange(target.value)}
              onMouseMove={showNoteAt}
            />
          </div>
        )}
      </Field>
      {quotes.length > 0 && (
        <div>
          {hasTitle && quotes.some(({ note }) => 'warning' in note) && (
            <Text weight="semibold">{texts.warnings}</Text>
          )}
          <ul ref={notes} className={styles.notes}>
            {quotes.map((quote, index) => (
              <li key={quote.start} className={styles.note} style={{ top: tops[index] }}>
                <button
                  type="button"
                  className={mergeClasses(styles.show, 'derived' in quote.note && styles.showStep)}
                  aria-label={'derived' in quote.note ? texts.derived(noteOf(quote)) : undefined}
                  onClick={() => show(quote)}
                >
                  {noteOf(quote)}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Where each note is, in pixels from the top of the list; measured when the text or the width of the window changes. */
function useTops(
  marked: React.RefObject<HTMLDivElement | null>,
  notes: React.RefObject<HTMLUListElement | null>,
  quotes: readonly Quote[],
): readonly number[] {
  const isNarrow = useMatches(narrow);
  const [tops, setTops] = useState<readonly number[]>([]);
  useLayoutEffect(() => {
    const [from, to] = [marked.current, notes.current];
    if (!from || !to || isNarrow) return undefined;
    const measure = (): void => {
      const start = to.getBoundingClientRect().top;
      const marks = [...from.querySelectorAll('mark')];
      const heightOf = (element: Element | undefined): number => element?.getBoundingClientRect().height ?? 0;
      const topOf = (element: Element | undefined): number => element?.getBoundingClientRect().top ?? start;
      const places = quotes.map((_quote, index) => ({
        wanted: Math.max(0, topOf(marks[index]) - start),
        height: heightOf(to.children[index]),
      }));
      const next = topsOf(places, gap);
      setTops((given) => (String(given) === String(next) ? given : next));
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(from);
    return () => resized.disconnect();
  }, [marked, notes, quotes, isNarrow]);
  return tops;
}
