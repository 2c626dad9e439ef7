// `npm run demo`: one pass through the main features on the stack of `npm start`. Exit code 0, or 1 with the reason.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { repositoryRoot } from '../../release/repository-root.ts';
import { call } from './call.ts';
import { programsBuiltBefore } from './programs.ts';
import { sampleContact, sampleProject } from './seeds.ts';
import { startStack, type Stack } from './stack.ts';

const targetPath = `${sampleProject.number}_Ährenweg\\Bauphase 1`;
/** Generous: the request takes a second or two. */
const timeoutMs = 60_000;

const say = (text: string) => console.log(`  ${text}`);
const chapter = (text: string) => console.log(`\n${text}`);

interface FolderRequest {
  id: string;
  targetPath: string;
  status: string;
  agentId: string | null;
  errorMessage: string | null;
}

async function folderRequest(stack: Stack): Promise<void> {
  chapter('A folder request becomes a directory on the file share');
  const { fileServer } = stack;
  const created = await call<FolderRequest>(stack.description, 'backOffice', 'POST', 'folder-requests', {
    targetPath,
  });
  say(`file server: ${fileServer.program}`);
  say(`requested: ${created.targetPath} (${created.id}), ${created.status}`);

  const deadline = Date.now() + timeoutMs;
  let last = created;
  while (last.status !== 'FULFILLED') {
    if (last.status === 'FAILED') throw new Error(`the agent reported: ${last.errorMessage}`);
    if (Date.now() > deadline)
      throw new Error(`the request is still ${last.status} after ${timeoutMs / 1000} s`);
    await delay(50);
    const next = await call<FolderRequest>(
      stack.description,
      'administrator',
      'GET',
      `folder-requests/${created.id}`,
    );
    if (next.agentId !== null && last.agentId === null) say(`claimed by ${next.agentId}`);
    last = next;
  }
  say('reported FULFILLED');

  const directory = join(fileServer.rootDirectory, ...targetPath.split('\\'));
  const [tree, template] = await Promise.all([treeOf(directory), treeOf(fileServer.templateDirectory)]);
  if (JSON.stringify(tree) !== JSON.stringify(template)) {
    throw new Error(`the contents of ${directory} differ from the template`);
  }
  say(`on the share, identical to the template (${tree.length} entries):`);
  for (const line of tree) say(`  ${line}`);
}

/** Sorted paths below `directory`; files with size and modification date. */
async function treeOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const lines = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const shown = path.slice(directory.length + 1);
      if (entry.isDirectory()) return `${shown}/`;
      const { size, mtime } = await stat(path);
      return `${shown}  (${size} bytes, ${mtime.toISOString().slice(0, 10)})`;
    }),
  );
  return lines.toSorted();
}

async function documents(stack: Stack): Promise<void> {
  chapter('A document is uploaded to the library and downloaded again');
  const path = `documents/projects/${sampleProject.id}`;
  const { root, folders } = await call<{ root: { path: string }; folders: { name: string }[] }>(
    stack.description,
    'projectManager',
    'POST',
    `${path}/provision`,
  );
  say(`provisioned: ${root.path} with ${folders.map(({ name }) => name).join(', ')}`);
  const content = `Protokoll der Baubesprechung\nProjekt ${sampleProject.name}\n`;
  const form = new FormData();
  form.set('folderName', '07_Protokolle');
  form.set('file', new File([content], 'Baubesprechung 1.txt', { type: 'text/plain' }));
  const uploaded = await call<{ id: string; fileName: string; size: number }>(
    stack.description,
    'projectManager',
    'POST',
    `${path}/upload`,
    form,
  );
  say(`uploaded: ${uploaded.fileName}, ${uploaded.size} bytes`);
  const { items } = await call<{ items: { id: string }[] }>(stack.description, 'backOffice', 'GET', path);
  if (!items.some(({ id }) => id === uploaded.id)) throw new Error('the document is not in the list');
  const download = await fetch(`${stack.description.baseUrl}/api/v1/documents/${uploaded.id}/download`, {
    headers: { authorization: `Bearer ${stack.description.tokens.backOffice}` },
  });
  if ((await download.text()) !== content) throw new Error('the download differs from the upload');
  say('listed, and downloaded by a colleague: identical bytes');
}

async function activities(stack: Stack): Promise<void> {
  chapter('An email and a letter are generated');
  const order = {
    contactId: sampleContact.id,
    projectId: sampleProject.id,
    description: 'Der Baubeginn verschiebt sich um eine Woche, bitte um kurze Bestätigung.',
  };
  const email = await call<{ subject: string; mailtoLink: string }>(
    stack.description,
    'activityAuthor',
    'POST',
    'activities/generate',
    { activityType: 'Email', ...order },
  );
  say(`email: ${email.subject}`);
  say(`  ${email.mailtoLink.slice(0, 100)}…`);
  const letter = await call<{ subject: string; documentUrl: string; downloadUrl: string }>(
    stack.description,
    'activityAuthor',
    'POST',
    'activities/generate',
    { activityType: 'Document', ...order },
  );
  say(`letter: ${letter.subject}`);
  say(`  in the author's OneDrive: ${letter.documentUrl}`);
  // The stack's OneDrive is deleted with it, so the demo keeps a copy of the letter.
  setDefaultCACertificates([...getCACertificates(), await readFile(stack.description.caCertificate, 'utf8')]);
  const download = await fetch(letter.downloadUrl);
  if (!download.ok) throw new Error(`the letter cannot be downloaded: ${download.status}`);
  const path = join(repositoryRoot, '.local', 'demo-letter.docx');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await download.bytes());
  say(`  a copy to open with a word processor: ${path}`);
}

async function demo(): Promise<void> {
  const { samba } = parseArgs({ options: { samba: { type: 'boolean', default: false } } }).values;
  const stack = await startStack({
    ...programsBuiltBefore(),
    fileServer: samba ? 'samba' : 'any',
    onStep: (text) => console.log(`Starting: ${text} …`),
  });
  try {
    await folderRequest(stack);
    await documents(stack);
    await activities(stack);
  } catch (error) {
    const log = await readFile(stack.logs.functions, 'utf8').catch(() => '');
    console.error(`\nThe end of the service's log:\n${log.split('\n').slice(-15).join('\n')}`);
    throw error;
  } finally {
    await stack.stop();
  }
}

const started = performance.now();
try {
  await demo();
  console.log(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s; everything is stopped.`);
  process.exit(0);
} catch (error) {
  console.error(`\nFailed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
