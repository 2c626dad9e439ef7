// A front end in one file: signs in, stores documents, requests a folder, writes an email and a letter, and shows problems in
// German. `npm start -- --front-end-origin <origin of the page>` is its service; .local/stack.json has its settings. In a
// project of its own: `npm install <repository>/dist/project-folders-client-<version>.tgz oidc-client-ts`, and a bundler.
import { UserManager } from 'oidc-client-ts';
import {
  createServiceClient,
  dataOf,
  failureText,
  isSettled,
  problemText,
  readUntil,
  uploadDirectly,
  waitingText,
  warningText,
  withToken,
} from 'project-folders-client';

/** From .local/stack.json: `baseUrl` and `signIn`. */
declare const settings: { baseUrl: string; authority: string; clientId: string; scope: string };

const users = new UserManager({
  authority: settings.authority,
  client_id: settings.clientId,
  redirect_uri: `${location.origin}/`,
  scope: `openid profile offline_access ${settings.scope}`,
});
const apiBase = `${settings.baseUrl}/api/v1`;
const send = withToken(async ({ renew }) => {
  const user = await users.getUser();
  if (user && !user.expired && !renew) return user.access_token;
  return (await users.signinSilent())?.access_token ?? '';
});
const api = createServiceClient(apiBase, send);

function show(text: string): HTMLElement {
  const line = document.body.appendChild(document.createElement('p'));
  line.textContent = text;
  return line;
}

/** Shows what happened and every fault, in German. */
function showProblem(error: unknown): void {
  show(`Fehler: ${problemText(error, 'de')}`);
}

async function documents(projectId: string): Promise<void> {
  await api.POST('/documents/projects/{projectId}/provision', { params: { path: { projectId } } });
  const common = { api: send, apiBase, projectId, folderName: '07_Protokolle' } as const;
  const note = new File(['Protokoll der Baubesprechung'], 'Protokoll.txt');
  const small = await uploadDirectly({ ...common, file: note, fileName: note.name });
  show(`Gespeichert: ${small.fileName}, ${small.size} Bytes`);

  const plans = new Blob([new Uint8Array(100 * 1024 * 1024)]);
  const progress = show('');
  const large = await uploadDirectly({
    ...common,
    file: plans,
    fileName: 'Pläne.zip',
    conflictBehavior: 'rename',
    onProgress({ sentBytes, totalBytes, waitingFor }) {
      const percent = Math.floor((100 * sentBytes) / totalBytes);
      progress.textContent = waitingFor
        ? `${percent} %, wartet: ${waitingText(waitingFor, 'de')}`
        : `${percent} %`;
    },
  });
  show(`Gespeichert: ${large.fileName}, ${large.size} Bytes`);
  await uploadDirectly({ ...common, file: note, fileName: note.name, conflictBehavior: 'fail' }).catch(
    showProblem,
  );
}

async function folder(targetPath: string): Promise<void> {
  const { id } = await dataOf(api.POST('/folder-requests', { body: { targetPath } }));
  const ended = await readUntil(
    () => api.GET('/folder-requests/{id}', { params: { path: { id } } }),
    isSettled,
    // After ten minutes, the page could show the request in a list instead.
    { signal: AbortSignal.timeout(600_000) },
  );
  if (ended.unserved) show('Wartet: Für diesen Server arbeitet derzeit kein Agent.');
  else if (ended.status === 'FULFILLED') show(`Angelegt: ${ended.targetPath}`);
  else show(`Fehlgeschlagen: ${failureText(ended, 'de')}`);
}

async function letter(contactId: string, projectId: string): Promise<void> {
  const order = { contactId, projectId, description: 'Der Baubeginn verschiebt sich um eine Woche.' };
  const email = await dataOf(api.POST('/activities/generate', { body: { activityType: 'Email', ...order } }));
  show(`E-Mail: ${email.subject}`);
  for (const warning of email.warnings) show(`Bitte prüfen: ${warningText(warning, 'de')}`);

  // The text of a letter ends with the closing formula: the Word template adds the sender. A text is not a letter yet.
  const text = await dataOf(
    api.POST('/activities/generate', { body: { activityType: 'Document', store: false, ...order } }),
  );
  // What a person does: one more sentence, before the closing formula.
  const content = text.content.replace(/\n\n(?=[^\n]*$)/, '\n\nRufen Sie mich gern an.\n\n');
  const made = await dataOf(
    // The same key again returns the same letter: a button that is pressed twice makes one.
    api.POST('/activities/letters', {
      params: { header: { 'idempotency-key': crypto.randomUUID() } },
      body: { contactId, subject: text.subject, content },
    }),
  );
  for (const warning of made.warnings) show(`Bitte prüfen: ${warningText(warning, 'de')}`);
  show(`Brief: ${made.documentUrl}`);
}

async function run(): Promise<void> {
  if (location.search.includes('code=')) {
    await users.signinCallback();
    history.replaceState(null, '', '/');
  }
  if (!(await users.getUser()))
    return users.signinRedirect({ login_hint: new URLSearchParams(location.search).get('as') ?? '' });

  const me = await dataOf(api.GET('/me'));
  show(`Angemeldet: ${me.name}, ${[...me.roles, ...me.permissions].join(', ')}`);
  const projects = await dataOf(api.GET('/projects', { params: { query: { search: '2026-0815' } } }));
  const contacts = await dataOf(api.GET('/contacts', { params: { query: { search: 'gruen' } } }));
  const [project] = projects.items;
  const [contact] = contacts.items;
  if (!project || !contact) return void show('Das Projekt oder der Kontakt fehlt.');
  show(`Projekt: ${project.name}`);

  await documents(project.id);
  await folder(`${project.number}_Bauakte`);
  await api.POST('/folder-requests', { body: { targetPath: 'C:\\Temp' } }).catch(showProblem);
  await letter(contact.id, project.id);
  await api.GET('/agents').catch(showProblem);
  show('Fertig');
}

await run();
