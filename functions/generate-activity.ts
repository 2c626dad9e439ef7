import { activity, asResponse, newActivity } from '../lib/activities/activity.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { correspondents, letterProblems } from './create-letter.ts';

export const generateActivity = (services: Services): Operation =>
  operation({
    id: 'generate-activity',
    method: 'POST',
    route: 'v1/activities/generate',
    tag: 'activities',
    summary: 'Write an email or a letter',
    description:
      'An AI text provider writes subject and text from the description. Email: a mailto link with recipient, subject ' +
      "and text. Document: the Word template filled and uploaded to the caller's OneDrive. Nothing is sent.",
    access: { kind: 'user', anyOf: ['canCreateActivities'] },
    body: newActivity,
    responses: { 200: { description: 'Email or Document, as requested', schema: activity } },
    problems: ['contact_has_no_email', 'ai_provider_error', 'ai_provider_unavailable', ...letterProblems],
    async handle({ body, caller, log }) {
      const activities = await services.activities();
      const people = await correspondents(services, body, caller, log);
      return { status: 200, jsonBody: asResponse(await activities.generate(body, people, log)) };
    },
  });
