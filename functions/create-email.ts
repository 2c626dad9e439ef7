import { asResponse, emailActivity, newEmail } from '../lib/activities/activity.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { correspondents } from './create-letter.ts';

export const createEmail = (services: Services): Operation =>
  operation({
    id: 'create-email',
    method: 'POST',
    route: 'v1/activities/emails',
    tag: 'activities',
    summary: 'Make the links of an edited email',
    description:
      'The mailto links for a text that a person has edited, without the AI text provider. With draft, the text is ' +
      "also a draft in the caller's mailbox. Nothing is sent.",
    access: { kind: 'user', anyOf: ['canCreateActivities'] },
    body: newEmail,
    responses: {
      200: { description: 'The email', schema: emailActivity },
      201: { description: 'The email, with its draft', schema: emailActivity },
    },
    problems: ['contact_not_found', 'contact_has_no_email', ...libraryProblems],
    async handle({ body, caller, log }) {
      const activities = await services.activities();
      const people = await correspondents(services, body, caller, log);
      const jsonBody = asResponse(await activities.email(body, people, log));
      return { status: body.draft ? 201 : 200, jsonBody };
    },
  });
