import { activity, newActivity } from '../lib/activities/activity.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

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
    problems: [
      'contact_not_found',
      'project_not_found',
      'contact_has_no_email',
      'word_template_not_found',
      'word_template_invalid',
      'ai_provider_error',
      'ai_provider_unavailable',
      'library_access_denied',
      'library_error',
      'library_throttled',
      'library_full',
      'not_configured',
    ],
    async handle({ body, caller, log }) {
      const activities = await services.activities();
      const contact = await services.contacts.get(body.contactId);
      const project = body.projectId === undefined ? null : await services.projects.get(body.projectId);
      const { warnings, ...made } = await activities.generate(body, { contact, project }, caller, log);
      return { status: 200, jsonBody: warnings.length > 0 ? { ...made, warnings } : made };
    },
  });
