import { asResponse, emailActivity, newEmail } from '../lib/activities/activity.ts';
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
      'The mailto links for a text that a person has edited, without the AI text provider. Nothing is sent.',
    access: { kind: 'user', anyOf: ['canCreateActivities'] },
    body: newEmail,
    responses: { 200: { description: 'The email', schema: emailActivity } },
    problems: ['contact_not_found', 'contact_has_no_email'],
    async handle({ body, caller, log }) {
      const activities = await services.activities();
      const people = await correspondents(services, body, caller);
      return { status: 200, jsonBody: asResponse(await activities.email(body, people, log)) };
    },
  });
