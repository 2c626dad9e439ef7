import {
  Button,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogTitle,
  Field,
  ProgressBar,
} from '@fluentui/react-components';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { each, type EachOutcome } from '../../base/each.ts';
import { ProblemBar } from '../problem-bar.tsx';
import { useProblemText } from '../use-problem-text.ts';

const maxNamed = 20;

/** Asks once, acts on every item with progress and a stop, and names the rejected items. The content of a dialog. */
export function BulkForm<T>({
  title,
  action,
  question,
  isPossible = true,
  doneText,
  items,
  nameOf,
  act,
  onEnd,
  onClose,
}: {
  title: string;
  /** Label of the button that starts. */
  action: string;
  question: string;
  /** Otherwise the question says why it is not, and nothing can be started. */
  isPossible?: boolean;
  /** @param left items that were not begun when it was stopped */
  doneText: (done: number, left: number) => string;
  items: readonly T[];
  nameOf: (item: T) => string;
  act: (item: T, signal: AbortSignal) => Promise<unknown>;
  /** Called after the last action, also when it was stopped. */
  onEnd: (outcome: EachOutcome<T>) => unknown;
  onClose: () => void;
}) {
  const { common, bulk: texts } = useTexts();
  const [ended, setEnded] = useState<number>();
  const [outcome, setOutcome] = useState<EachOutcome<T>>();
  const [failure, setFailure] = useState<Error | null>(null);
  const abort = useRef(new AbortController());
  // The page that shows the dialog may be left.
  useEffect(() => () => abort.current.abort(), []);
  const isRunning = ended !== undefined && !outcome;
  const start = async (): Promise<void> => {
    abort.current = new AbortController();
    setEnded(0);
    const result = await each(items, act, { signal: abort.current.signal, onProgress: setEnded });
    setOutcome(result);
    try {
      await onEnd(result);
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <DialogBody>
      <DialogTitle>{title}</DialogTitle>
      <DialogContent>
        {ended === undefined && <p>{question}</p>}
        {isRunning && (
          <Field validationMessage={texts.progress(ended, items.length)} validationState="none">
            <ProgressBar aria-label={title} value={ended} max={items.length} />
          </Field>
        )}
        <ProblemBar error={failure} />
        <div role="status">{outcome && <Outcome {...{ outcome, doneText, nameOf }} />}</div>
      </DialogContent>
      <DialogActions>
        <Button onClick={isRunning ? () => abort.current.abort() : onClose}>
          {outcome ? common.close : isRunning ? common.stop : common.cancel}
        </Button>
        {!outcome && isPossible && (
          <Button
            appearance="primary"
            disabledFocusable={items.length === 0 || isRunning}
            onClick={() => void start()}
          >
            {action}
          </Button>
        )}
      </DialogActions>
    </DialogBody>
  );
}

function Outcome<T>({
  outcome: { done, rejected, left },
  doneText,
  nameOf,
}: {
  outcome: EachOutcome<T>;
  doneText: (done: number, left: number) => string;
  nameOf: (item: T) => string;
}) {
  const { bulk: texts } = useTexts();
  const textOf = useProblemText();
  return (
    <>
      <p>{doneText(done, left)}</p>
      {left > 0 && <p>{texts.left(left)}</p>}
      {rejected.length > 0 && (
        <>
          <p>{texts.rejected(rejected.length)}</p>
          <ul>
            {rejected.slice(0, maxNamed).map(({ item, error }) => (
              <li key={nameOf(item)}>
                {nameOf(item)}: {textOf(error)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
