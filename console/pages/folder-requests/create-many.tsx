import { Field, Textarea } from '@fluentui/react-components';
import { useRef, useState } from 'react';
import { DialogForm } from '../../parts/dialogs/button-dialog.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { faultText } from '../../texts/text-of-code.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { useRequestActions } from './use-request-actions.ts';

/** The most that the service takes in one call. */
const maxPaths = 100;

/** Each path once: a folder is not requested twice because a list names it twice. */
const pathsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

interface NotCreated {
  readonly path: string;
  readonly why: string;
}

/** Paths that were not requested remain in the field, with the reasons below it. */
export function ManyForm({ onDone }: { onDone: () => void }) {
  const { folderRequests: texts } = useTexts();
  const language = useLanguage();
  const notify = useNotify();
  const { createMany } = useRequestActions();
  const [text, setText] = useState('');
  const [left, setLeft] = useState<readonly NotCreated[]>([]);
  // A path keeps its key until it is requested: sent again after a lost response, it is not requested twice.
  const keys = useRef(new Map<string, string>());
  const paths = pathsIn(text);
  const isTooMany = paths.length > maxPaths;
  const keyOf = (path: string): string => {
    const key = keys.current.get(path) ?? crypto.randomUUID();
    keys.current.set(path, key);
    return key;
  };
  const submit = (): void => {
    const items = paths.map((targetPath) => ({ targetPath, key: keyOf(targetPath) }));
    createMany.mutate(items, {
      onSuccess: ({ items: outcomes }) => {
        const faulty = outcomes.flatMap(({ outcome, errors = [] }, at): NotCreated[] => {
          const path = paths[at] ?? '';
          if (outcome === 'fault')
            return [{ path, why: errors.map((fault) => faultText(fault, language)).join(' ') }];
          keys.current.delete(path);
          return [];
        });
        const count = outcomes.length - faulty.length;
        if (count > 0) notify(texts.requestedMany(count));
        if (faulty.length === 0) return onDone();
        setLeft(faulty);
        setText(faulty.map(({ path }) => path).join('\n'));
      },
    });
  };
  return (
    <DialogForm
      title={texts.createManyTitle}
      action={texts.createAction}
      isComplete={paths.length > 0 && !isTooMany}
      mutation={createMany}
      onSubmit={submit}
      onCancel={onDone}
    >
      <Field
        label={texts.paths}
        hint={`${texts.pathsHint} ${texts.createHint}`}
        {...(isTooMany && { validationMessage: texts.tooManyPaths(paths.length) })}
        required
      >
        <Textarea rows={10} value={text} onChange={(_event, { value }) => setText(value)} />
      </Field>
      <div role="status">
        {left.length > 0 && (
          <>
            <p>{texts.notRequested(left.length)}</p>
            <ul>
              {left.map(({ path, why }) => (
                <li key={path}>
                  {path}: {why}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </DialogForm>
  );
}
