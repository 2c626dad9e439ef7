import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { useSettled } from '../../base/use-settled.ts';
import type { FolderName } from '../documents/project/folders.ts';
import type { Derived, Warning } from './quotes.ts';

export type NewActivity = Schemas['NewActivity'];
type Links = Pick<Schemas['EmailActivity'], 'mailtoLink' | 'mailtoLinkShort'>;

/** A text as it was written, and as the user has edited it since. */
export interface Draft {
  /** Remains when the text is written again: its letter replaces the one before. */
  readonly id: string;
  readonly order: NewActivity;
  readonly written: { readonly subject: string; readonly content: string };
  readonly warnings: readonly Warning[];
  readonly derived: readonly Derived[];
  /** Of the text as it was written; emails only. */
  readonly links?: Links;
  readonly subject: string;
  readonly content: string;
}

/** The draft, which remains until another one has been written, and the one before it. */
export function useActivity() {
  const [draft, setDraft] = useState<Draft>();
  const [previous, setPrevious] = useState<Draft>();
  const write = useMutation({
    mutationFn: async ({ order }: { draftId: string; order: NewActivity }) => {
      // The letter is made when the user has read the text.
      const body = order.activityType === 'Document' ? { ...order, store: false } : order;
      return dataOf(api.POST('/activities/generate', { body }));
    },
    onSuccess: (activity, { draftId, order }) => {
      const { subject, content, warnings, derived = [] } = activity;
      setPrevious(draft);
      setDraft({
        id: draftId,
        order,
        written: { subject, content },
        warnings,
        derived,
        subject,
        content,
        ...('mailtoLink' in activity && { links: activity }),
      });
    },
  });
  const edit = (change: Partial<Pick<Draft, 'subject' | 'content'>>): void =>
    setDraft((given) => given && { ...given, ...change });
  const restore = (): void => {
    setDraft(previous);
    setPrevious(undefined);
  };
  return { write, draft, previous, edit, restore };
}

export type ActivityState = ReturnType<typeof useActivity>;

const isEdited = ({ written, subject, content }: Draft): boolean =>
  subject !== written.subject || content !== written.content;

/** While the user types, the links would be outdated with each letter. */
const typingPauseMs = 600;

/** The links of the text as it is now; undefined while they are being made. */
export function useEmailLinks(draft: Draft) {
  const { order, links, subject, content } = draft;
  const current = JSON.stringify({ subject, content });
  const settled = useSettled(current, typingPauseMs);
  const changed = useQuery({
    queryKey: ['email-links', order.contactId, order.language, settled],
    queryFn: ({ signal }) => {
      const text = JSON.parse(settled) as { subject: string; content: string };
      const { contactId, language } = order;
      const body = { contactId, ...(language !== undefined && { language }), ...text };
      return dataOf(api.POST('/activities/emails', { body, signal }));
    },
    enabled: isEdited(draft) && current === settled && subject.trim() !== '' && content.trim() !== '',
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  if (!isEdited(draft)) return { links, error: null };
  return { links: current === settled ? changed.data : undefined, error: changed.error };
}

/** What is made of a letter besides the Word file. */
export interface LetterWishes {
  /** Folder of the project for a copy. */
  readonly fileIn: FolderName | undefined;
  readonly pdf: boolean;
}

/** Makes the letter of the text as it is now, in place of the last one of this draft. */
export function useLetter({ id, order, subject, content }: Draft) {
  const { contactId, projectId, language, template } = order;
  const text = JSON.stringify({ subject, content });
  const [last, setLast] = useState<{
    readonly draftId: string;
    readonly of: string;
    readonly letter: Schemas['DocumentActivity'];
  }>();
  const own = last?.draftId === id ? last : undefined;
  const make = useMutation({
    mutationFn: async ({ fileIn, pdf }: LetterWishes) => {
      const { letterId, letterTag, copy } = own?.letter ?? {};
      const body = {
        contactId,
        ...(projectId !== undefined && { projectId }),
        ...(language !== undefined && { language }),
        ...(template !== undefined && { template }),
        ...(fileIn !== undefined && { fileIn }),
        ...(pdf && { pdf }),
        ...(letterId !== undefined &&
          letterTag !== undefined && {
            replaces: { letterId, letterTag, ...(copy && { documentId: copy.id }) },
          }),
        subject,
        content,
      };
      return dataOf(api.POST('/activities/letters', { body }));
    },
    onSuccess: (letter) => setLast({ draftId: id, of: text, letter }),
  });
  return { make, letter: own?.letter, isOutdated: own !== undefined && own.of !== text };
}

/** The Word templates, the default first. */
export const useTemplates = () =>
  useQuery({
    queryKey: ['templates'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/activities/templates', { signal }))).items,
    staleTime: 300_000,
  });
