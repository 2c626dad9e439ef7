import { sampleContact, sampleProject } from './seeds.ts';
import type { StackDescription } from './stack-file.ts';

/** Lines to paste into a shell, each with the token of someone who may. */
export function curlLines({ baseUrl, tokens }: StackDescription): [what: string, line: string][] {
  const api = `${baseUrl}/api/v1`;
  const as = (token: string) => `-H 'authorization: Bearer ${token}'`;
  const json = (body: object) => `-H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const letter = {
    activityType: 'Document',
    contactId: sampleContact.id,
    projectId: sampleProject.id,
    description: 'Baubeginn verschiebt sich um eine Woche',
  };
  return [
    [
      'Request a folder (BackOffice)',
      `curl -s ${as(tokens.backOffice)} ${json({ targetPath: '2026-0815_Neubau' })} ${api}/folder-requests`,
    ],
    ['Look at the queue (Administrator)', `curl -s ${as(tokens.administrator)} ${api}/folder-requests`],
    [
      'Make the folders of the sample project in the library (ProjectManager)',
      `curl -s -X POST ${as(tokens.projectManager)} ${api}/documents/projects/${sampleProject.id}/provision`,
    ],
    [
      'Upload a document (ProjectManager)',
      `curl -s ${as(tokens.projectManager)} -F folderName=07_Protokolle -F file=@README.md ${api}/documents/projects/${sampleProject.id}/upload`,
    ],
    [
      'Write a letter (canCreateActivities)',
      `curl -s ${as(tokens.activityAuthor)} ${json(letter)} ${api}/activities/generate`,
    ],
  ];
}
