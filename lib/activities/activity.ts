import * as z from 'zod';
import { contactId } from '../contacts/contact.ts';
import type { FaultCode } from '../contract/faults.ts';
import { projectId } from '../contract/project-id.ts';
import { folderName, givenFolderName } from '../contract/subfolders.ts';
import { givenUuid, libraryId, text, wellFormed } from '../contract/text.ts';
import { language } from './text/language/language.ts';
import { derived, warning } from './text/task/warning.ts';
import { tones } from './text/task/writing-task.ts';

const activityTypes = ['Email', 'Document'] as const;

const trimmedText = (longest: number): z.ZodType<string, string> =>
  wellFormed()
    .transform((value) => value.trim())
    .pipe(z.string().min(1).max(longest));

const written = {
  subject: trimmedText(1000),
  content: trimmedText(20_000),
};
const order = {
  contactId,
  language: language.optional().meta({
    description: 'BCP 47 tag of the language to write in; default AI_OUTPUT_LANGUAGE',
    example: 'de',
  }),
};
const letterOrder = {
  projectId: projectId.optional(),
  fileIn: givenFolderName.optional().meta({
    description: 'A subfolder of the project that receives a second copy of the letter; needs projectId',
  }),
  pdf: z.boolean().optional().meta({ description: 'true adds pdfUrl' }),
  template: text(300)
    .optional()
    .meta({ description: 'A name of GET /activities/templates; default WORD_TEMPLATE_PATH' }),
};

const draft = z
  .boolean()
  .optional()
  .meta({ description: "true adds webLink, a draft in the caller's mailbox; needs MAIL_DRAFTS" });

/** What only an email has, what only a letter has, and what only a letter that is stored has. */
function checkWishes(order: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  const reject = (message: FaultCode, names: readonly string[]): void => {
    for (const name of names.filter((each) => order[each] !== undefined))
      context.addIssue({ code: 'custom', path: [name], message });
  };
  if (order['activityType'] === 'Email') reject('document_only', ['store', 'template', 'fileIn', 'pdf']);
  else reject('email_only', ['draft']);
  if (order['store'] === false) reject('needs_store', ['fileIn', 'pdf']);
  if (order['projectId'] === undefined) reject('needs_project', ['fileIn']);
}

export const newActivity = z
  .strictObject({
    activityType: z.enum(activityTypes),
    ...order,
    description: trimmedText(10_000).meta({ description: 'What is to be communicated' }),
    ...letterOrder,
    hint: trimmedText(2000).optional().meta({ description: 'What to change in previous, or to mind' }),
    previous: z.strictObject(written).optional().meta({ description: 'The text to revise' }),
    tone: z.enum(tones).optional().meta({ description: 'Default formal' }),
    store: z
      .boolean()
      .optional()
      .meta({ description: 'Document only: false returns the text without a letter; default true' }),
    draft,
  })
  .superRefine(checkWishes)
  .meta({ id: 'NewActivity' });

/** A text that a person has edited. */
export const newEmail = z.strictObject({ ...order, ...written, draft }).meta({ id: 'NewEmail' });

const replaces = z
  .strictObject({
    letterId: libraryId,
    letterTag: text(300),
    documentId: givenUuid.optional(),
  })
  .meta({
    description:
      "An earlier letter of the same text, as its response named it: it becomes a version of the new one, in the OneDrive and in the project. A letter that was changed since or is open in Word, another user's copy, and a copy that was moved, renamed, or changed by a colleague remain, and the new one is beside it.",
  });

export const newLetter = z
  .strictObject({ ...order, ...letterOrder, ...written, replaces: replaces.optional() })
  .superRefine(checkWishes)
  .meta({ id: 'NewLetter' });

const warnings = z.array(warning).meta({
  description: 'What the user should check before sending; empty when there is nothing',
  example: [],
});

const writtenActivity = {
  subject: z.string().meta({ description: 'Without the prefix of the link' }),
  content: z.string(),
  warnings,
  derived: z.array(derived).optional().meta({
    description: 'What follows from the data in one step, and how; absent when there is nothing',
  }),
};

export const emailActivity = z
  .object({
    activityType: z.literal('Email'),
    ...writtenActivity,
    mailtoLink: z.string().meta({ description: 'RFC 6068; its subject starts with aai%23' }),
    mailtoLinkShort: z.string().optional().meta({
      description: 'Recipient and subject only; present when mailtoLink has more than 2,000 characters',
    }),
    webLink: z.string().optional().meta({ description: 'Opens the draft in Outlook on the web' }),
  })
  .meta({ id: 'EmailActivity' });

const filedCopy = z
  .object({ id: z.string(), folderName, fileName: z.string(), webUrl: z.string() })
  .meta({ description: 'With fileIn: the document in the project' });

/** A letter as a document of a project. */
export type FiledCopy = z.output<typeof filedCopy>;

export const documentActivity = z
  .object({
    activityType: z.literal('Document'),
    ...writtenActivity,
    documentUrl: z.string().meta({ description: 'Opens the letter in Word for the web' }),
    downloadUrl: z.string().meta({ description: 'Pre-authenticated; valid for about an hour' }),
    pdfUrl: z.string().optional().meta({ description: 'The letter as PDF; valid for a few minutes' }),
    letterId: z.string().meta({ description: 'For replaces of the next letter of this text' }),
    letterTag: z.string().meta({ description: 'As letterId' }),
    hasReplaced: z.boolean().optional().meta({
      description:
        'With replaces: whether the earlier letter is a version of this one now; otherwise, it remains beside it',
    }),
    copy: filedCopy.optional(),
  })
  .meta({ id: 'DocumentActivity' });

const textActivity = z
  .object({ activityType: z.literal('Text'), ...writtenActivity })
  .meta({ id: 'TextActivity', description: 'A letter that was not stored' });

export const activity = z
  .discriminatedUnion('activityType', [emailActivity, documentActivity, textActivity])
  .meta({ id: 'Activity' });

export const templateList = z
  .object({
    items: z.array(z.object({ name: z.string().meta({ example: 'Briefvorlage' }), isDefault: z.boolean() })),
  })
  .meta({ id: 'TemplateList' });

export type NewActivity = z.output<typeof newActivity>;
export type NewEmail = z.output<typeof newEmail>;
export type NewLetter = z.output<typeof newLetter>;

/** What {@link asResponse} makes the response of. */
export interface Made {
  readonly warnings: readonly unknown[];
  readonly derived: readonly unknown[];
}

/** The response: with its type, and without `derived` if that is empty. */
export const asResponse = <A extends Made>({ derived: steps, ...made }: A) => ({
  activityType: 'mailtoLink' in made ? 'Email' : 'documentUrl' in made ? 'Document' : 'Text',
  ...made,
  ...(steps.length > 0 && { derived: steps }),
});
