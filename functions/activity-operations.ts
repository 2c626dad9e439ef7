import * as z from 'zod';
import type { Activities, Correspondents } from '../lib/activities/activities.ts';
import {
  activity,
  asResponse,
  documentActivity,
  emailActivity,
  type Made,
  newActivity,
  newEmail,
  newLetter,
  templateList,
} from '../lib/activities/activity.ts';
import type { LetterFile } from '../lib/activities/document-activity.ts';
import type { EventLog } from '../lib/base/event-log.ts';
import { type ProblemCode, ServiceError } from '../lib/base/service-error.ts';
import type { Subfolder } from '../lib/contract/subfolders.ts';
import type { User } from '../lib/callers/caller.ts';
import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { idempotencyKey } from '../lib/http/idempotency-key.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { putDocument, uploadersOwn } from '../lib/project-documents/transfer/uploads.ts';
import type { Services } from '../lib/services.ts';
import { oncePerKey } from '../lib/storage/keyed-results.ts';

const letterProblems = [
  'contact_not_found',
  'project_not_found',
  'unknown_folder',
  'word_template_not_found',
  'word_template_invalid',
  'library_full',
  ...libraryProblems,
] as const satisfies readonly ProblemCode[];

interface People {
  readonly contactId: string;
  readonly projectId?: string | undefined;
  readonly fileIn?: Subfolder | undefined;
}

/** @throws ServiceError `forbidden`, `contact_not_found`, `project_not_found`, `not_configured` */
async function correspondents(
  { contacts, projects, documents }: Services,
  { contactId, projectId, fileIn }: People,
  user: User,
  log: EventLog,
): Promise<Correspondents> {
  if (fileIn !== undefined && !roles.some((role) => user.permissions.has(role))) {
    throw new ServiceError('forbidden', {
      detail: `fileIn stores a document in the project, which requires one of ${roles.join(', ')}.`,
    });
  }
  const contact = await contacts.get(contactId);
  const project = projectId === undefined ? null : await projects.get(projectId);
  if (project === null || fileIn === undefined) return { contact, project, user };
  const parts = documents().of({ user, log });
  const put = async ({ bytes, ...file }: LetterFile, replacedId: string | undefined) => {
    const replaced = replacedId === undefined ? null : await parts.records.find(replacedId);
    // Nobody replaces the file of another user, project, or folder by the way, nor what a colleague has written into it.
    const mayBeReplaced =
      replaced?.projectId === project.id &&
      replaced.uploadedByUserId === user.oid &&
      replaced.contentType === file.contentType;
    const own = mayBeReplaced ? await uploadersOwn(parts, replaced) : null;
    // A new name may be somebody's decision to keep this state, so the next letter is beside it.
    const facts =
      own?.folderName === fileIn && own.fileName === replaced?.fileName
        ? {
            ...file,
            fileName: own.fileName,
            // Where somebody has sorted it.
            folderPath: own.folderPath,
            conflictBehavior: 'replace' as const,
          }
        : { ...file, conflictBehavior: 'rename' as const };
    return putDocument(parts, project, { ...facts, folderName: fileIn }, bytes);
  };
  return { contact, project, user, folder: { name: fileIn, put } };
}

/** No project has such an id, so no key of its uploads is that of a letter (lib/project-documents/transfer/keyed-uploads.ts). */
const scopeOf = (operation: string): string => `activities/${operation}`;

const authors = {
  tag: 'activities',
  access: { kind: 'user', anyOf: ['canCreateActivities'] },
} as const;
const keyed = { ...authors, headers: z.object({ 'idempotency-key': idempotencyKey }) };

interface KeyedOrder<B> {
  readonly body: B;
  readonly caller: User;
  readonly headers: { readonly 'idempotency-key'?: string | undefined };
  readonly log: EventLog;
}

/** What is kept of a response: all of it. Those that 1.0.0 has kept have no empty `warnings`. */
const keptActivity = z.looseObject({
  activityType: z.string(),
  warnings: z.array(z.unknown()).readonly().default([]),
});

/** The response; with an `Idempotency-Key` the first one again, so that no second letter is made. */
function makeOnce<B extends People, A extends Made>(
  services: Services,
  operation: string,
  { body, caller, headers, log }: KeyedOrder<B>,
  make: (activities: Activities, people: Correspondents) => Promise<A>,
) {
  const call = async () => {
    const activities = await services.activities();
    return asResponse(await make(activities, await correspondents(services, body, caller, log)));
  };
  const key = headers['idempotency-key'];
  if (key === undefined) return call();
  return oncePerKey(
    services.keyedResults(),
    { userId: caller.oid, scope: scopeOf(operation), formerScope: operation, key },
    body,
    keptActivity,
    call,
  );
}

export const activityOperations = (services: Services): readonly Operation[] => [
  operation({
    ...keyed,
    id: 'generate-activity',
    method: 'POST',
    route: 'v1/activities/generate',
    summary: 'Write an email or a letter',
    description:
      'An AI text provider writes subject and text from the description. Email: a mailto link with recipient, subject ' +
      "and text. Document: the Word template filled and uploaded to the caller's OneDrive, or, with store: false, only the " +
      'text. Nothing is sent. A person reads text and warnings before sending. If a letter or a draft cannot be stored, ' +
      'the problem has subject and content. With an Idempotency-Key, a repetition within 24 hours returns the first result. ' +
      'Above AI_MAX_TEXTS_PER_HOUR of a user: 429 rate_limited with Retry-After.',
    body: newActivity,
    responses: { 200: { description: 'Email or Document, as requested', schema: activity } },
    problems: ['contact_has_no_email', 'ai_provider_error', 'ai_provider_unavailable', ...letterProblems],
    async handle(call) {
      const jsonBody = await makeOnce(services, 'generate-activity', call, async (activities, people) => {
        await services.textLimit.count(call.caller.oid);
        return activities.generate(call.body, people, call.log);
      });
      return { status: 200, jsonBody };
    },
  }),
  operation({
    ...keyed,
    id: 'create-letter',
    method: 'POST',
    route: 'v1/activities/letters',
    summary: 'Make a letter of an edited text',
    description:
      "Fills the Word template and uploads the letter to the caller's OneDrive, without the AI text provider. With " +
      'fileIn, a second copy is filed in the project, and with pdf the response has a URL of the letter as PDF. With ' +
      'replaces, an earlier letter of the text gets a new version, in the OneDrive and in the project, and keeps its ' +
      'name; hasReplaced is false if it has another content since, or is gone: then the new one has a name of its own.',
    body: newLetter,
    responses: { 201: { description: 'The letter', schema: documentActivity } },
    problems: letterProblems,
    async handle(call) {
      const jsonBody = await makeOnce(services, 'create-letter', call, (activities, people) =>
        activities.makeOfEdited('Document', call.body, people, call.log),
      );
      return { status: 201, jsonBody };
    },
  }),
  operation({
    ...keyed,
    id: 'create-email',
    method: 'POST',
    route: 'v1/activities/emails',
    summary: 'Make the links of an edited email',
    description:
      'The mailto links for a text that a person has edited, without the AI text provider. With draft, the text is ' +
      "also a draft in the caller's mailbox. Nothing is sent.",
    body: newEmail,
    responses: {
      200: { description: 'The email', schema: emailActivity },
      201: { description: 'The email, with its draft', schema: emailActivity },
    },
    problems: ['contact_not_found', 'contact_has_no_email', ...libraryProblems],
    async handle(call) {
      const jsonBody = await makeOnce(services, 'create-email', call, (activities, people) =>
        activities.makeOfEdited('Email', call.body, people, call.log),
      );
      return { status: call.body.draft ? 201 : 200, jsonBody };
    },
  }),
  operation({
    ...authors,
    id: 'list-templates',
    method: 'GET',
    route: 'v1/activities/templates',
    summary: 'List the Word templates',
    description: 'The names that a letter can choose its template by; the default is first.',
    responses: { 200: { description: 'All templates', schema: templateList } },
    problems: ['not_configured'],
    async handle() {
      return { status: 200, jsonBody: { items: (await services.activities()).templates() } };
    },
  }),
];
