import type { Correspondents } from '../lib/activities/activities.ts';
import type { LetterFile } from '../lib/activities/document-activity.ts';
import { asResponse, documentActivity, newLetter } from '../lib/activities/activity.ts';
import type { EventLog } from '../lib/base/event-log.ts';
import type { ProblemCode } from '../lib/base/service-error.ts';
import type { Subfolder } from '../lib/contract/subfolders.ts';
import type { User } from '../lib/callers/caller.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const letterProblems = [
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

/** @throws ServiceError `contact_not_found`, `project_not_found`, `not_configured` */
export async function correspondents(
  { contacts, projects, documents }: Services,
  { contactId, projectId, fileIn }: People,
  user: User,
  log: EventLog,
): Promise<Correspondents> {
  const contact = await contacts.get(contactId);
  const project = projectId === undefined ? null : await projects.get(projectId);
  if (project === null || fileIn === undefined) return { contact, project, user };
  const { uploads } = documents();
  const put = ({ bytes, ...file }: LetterFile): Promise<unknown> =>
    uploads.put({ user, project, log }, { ...file, folderName: fileIn, conflictBehavior: 'rename' }, bytes);
  return { contact, project, user, folder: { name: fileIn, put } };
}

export const createLetter = (services: Services): Operation =>
  operation({
    id: 'create-letter',
    method: 'POST',
    route: 'v1/activities/letters',
    tag: 'activities',
    summary: 'Make a letter of an edited text',
    description:
      "Fills the Word template and uploads the letter to the caller's OneDrive, without the AI text provider. With " +
      'fileIn, a second copy is filed in the project, and with pdf the response has a URL of the letter as PDF.',
    access: { kind: 'user', anyOf: ['canCreateActivities'] },
    body: newLetter,
    responses: { 201: { description: 'The letter', schema: documentActivity } },
    problems: letterProblems,
    async handle({ body, caller, log }) {
      const activities = await services.activities();
      const people = await correspondents(services, body, caller, log);
      return { status: 201, jsonBody: asResponse(await activities.letter(body, people, log)) };
    },
  });
