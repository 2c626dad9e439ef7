import { z } from 'zod';
import { contactId } from '../contacts/contact.ts';
import { projectId } from '../projects/project.ts';
import { language } from './text/language.ts';
import { warning } from './text/warning.ts';

const activityTypes = ['Email', 'Document'] as const;

const longestDescription = 10_000;

export const newActivity = z
  .strictObject({
    activityType: z.enum(activityTypes, 'expected Email or Document'),
    contactId,
    description: z
      .string()
      .transform((text) => text.trim())
      .pipe(
        z
          .string()
          .min(1, 'must not be empty')
          .max(longestDescription, `must not be longer than ${longestDescription} characters`),
      )
      .meta({ description: 'What is to be communicated' }),
    projectId: projectId.optional(),
    language: language.optional().meta({
      description: 'BCP 47 tag of the language to write in; default AI_OUTPUT_LANGUAGE',
      example: 'de',
    }),
  })
  .meta({ id: 'NewActivity' });

const warnings = z
  .array(warning)
  .optional()
  .meta({ description: 'What the user should check before sending; absent when there is nothing' });

const email = z
  .object({
    subject: z.string().meta({ description: 'Without the prefix of the link' }),
    content: z.string(),
    mailtoLink: z.string().meta({ description: 'RFC 6068; its subject starts with aai%23' }),
    mailtoLinkShort: z.string().optional().meta({
      description: 'Recipient and subject only; present when mailtoLink has more than 2,000 characters',
    }),
    warnings,
  })
  .meta({ id: 'EmailActivity' });

const document = z
  .object({
    subject: z.string(),
    content: z.string(),
    documentUrl: z.string().meta({ description: 'Opens the letter in Word for the web' }),
    downloadUrl: z.string().meta({ description: 'Pre-authenticated; valid for about an hour' }),
    warnings,
  })
  .meta({ id: 'DocumentActivity' });

export const activity = z.union([email, document]).meta({ id: 'Activity' });

export type NewActivity = z.output<typeof newActivity>;
