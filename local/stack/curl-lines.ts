import { sampleContact, sampleProject } from './seeds.ts';
import type { StackDescription } from './stack-file.ts';

/**
 * Variables that keep the commands below short: addresses, a body, and a complete Authorization header for each person.
 * The text works in sh, bash, and zsh.
 */
export function shellVariables({ baseUrl, tokens }: StackDescription): string {
  const api = `${baseUrl}/api/v1`;
  const letter = {
    activityType: 'Document',
    contactId: sampleContact.id,
    projectId: sampleProject.id,
    description: 'Baubeginn verschiebt sich um eine Woche',
  };
  const variables = {
    api,
    provision: `${api}/documents/projects/${sampleProject.id}/provision`,
    uploads: `${api}/documents/projects/${sampleProject.id}/uploads`,
    upload: `${api}/documents/projects/${sampleProject.id}/upload`,
    letter: JSON.stringify(letter),
    ...Object.fromEntries(
      Object.entries(tokens).map(([person, token]) => [person, `Authorization: Bearer ${token}`]),
    ),
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');
}

/** Commands to paste into a shell that has these variables; each fits 80 columns. */
export const curlLines = [
  `curl -sH "$backOffice" --json '{"targetPath":"Neubau"}' $api/folder-requests`,
  'curl -sH "$administrator" $api/folder-requests',
  'curl -sH "$projectManager" -X POST $provision',
  'curl -sH "$backOffice" -F folderName=07_Protokolle -F file=@README.md $upload',
  'curl -sH "$activityAuthor" --json "$letter" $api/activities/generate',
] as const;
