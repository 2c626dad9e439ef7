import type { Correspondents } from '../lib/activities/activities.ts';
import { asResponse, documentActivity, newLetter } from '../lib/activities/activity.ts';
import type { ProblemCode } from '../lib/base/service-error.ts';
import type { User } from '../lib/callers/caller.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const letterProblems = [
  'contact_not_found',
  'project_not_found',
  'word_template_not_found',
  'word_template_invalid',
  'library_access_denied',
  'library_error',
  'library_throttled',
  'library_full',
  'not_configured',
] as const satisfies readonly ProblemCode[];

/** @throws ServiceError `contact_not_found`, `project_not_found` */
export async function correspondents(
  { contacts, projects }: Services,
  { contactId, projectId }: { readonly contactId: string; readonly projectId?: string | undefined },
  user: User,
): Promise<Correspondents> {
  const contact = await contacts.get(contactId);
  return { contact, project: projectId === undefined ? null : await projects.get(projectId), user };
}

export const createLetter = (services: Services): Operation =>
  operation({
    id: 'create-letter',
    method: 'POST',
    route: 'v1/activities/letters',
    tag: 'activities',
    summary: 'Make a letter of an edited text',
    description:
      "Fills the Word template and uploads the letter to the caller's OneDrive, without the AI text provider.",
    access: { kind: 'user', anyOf: ['canCreateActivities'] },
    body: newLetter,
    responses: { 201: { description: 'The letter', schema: documentActivity } },
    problems: letterProblems,
    async handle({ body, caller, log }) {
      const activities = await services.activities();
      const people = await correspondents(services, body, caller);
      return { status: 201, jsonBody: asResponse(await activities.letter(body, people, log)) };
    },
  });
