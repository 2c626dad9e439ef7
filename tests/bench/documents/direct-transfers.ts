import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { people, type DocumentService } from '../../support/document-service.ts';
import { DirectUploader, sendAll } from '../../support/direct-upload.ts';

const MiB = 1024 * 1024;

/**
 * Measures what the function process reads and writes while files bypass it, and counts the requests that it sends to
 * the library. The bytes that it moves for a file of one byte are the cost of its requests; any additional bytes for
 * 250 MiB would be contents of the file.
 */
export async function directTransfers(service: DocumentService, fileBytes: number): Promise<void> {
  const chunk = randomBytes(1 * MiB);
  const project = await service.newProject();
  const uploads = new DirectUploader(service, project.id);
  await service.call('POST', `/documents/projects/${project.id}/provision`);
  const upload = async (content: Uint8Array<ArrayBuffer>, fileName: string): Promise<string> => {
    const { body } = await uploads.begin({ fileName, size: content.length });
    await sendAll(body.uploadUrl, content);
    const completed = await uploads.complete(body.uploadId);
    if (completed.status !== 201) throw new Error(`complete returned ${completed.status}`);
    return completed.body.id as string;
  };
  const download = async (documentId: string, bytes: number): Promise<void> => {
    const { body } = await service.call('GET', `/documents/${documentId}/link`, { as: people.backOffice });
    let length = 0;
    for await (const part of (await fetch(body.downloadUrl)).body!) length += part.length;
    if (length !== bytes) throw new Error(`received ${length} of ${bytes} bytes`);
  };

  const small = Buffer.from('x');
  // Opens connections and loads code.
  await download(await upload(small, 'warm.bin'), 1);
  const large = Buffer.alloc(fileBytes);
  for (let at = 0; at < fileBytes; at += chunk.length) chunk.copy(large, at);

  let [documentId, smallId] = ['', ''];
  const uploadOfOne = await moved(service, async () => (smallId = await upload(small, 'small.bin')));
  await service.forgetRequests();
  const uploaded = await moved(service, async () => (documentId = await upload(large, 'large.bin')));
  const ofService = (await service.requests()).filter(
    ({ host, method }) => host === 'graph' || method !== 'PUT',
  );
  const downloadOfOne = await moved(service, () => download(smallId, 1));
  const downloaded = await moved(service, () => download(documentId, fileBytes));
  console.log(`direct upload: ${ofService.length} requests of the service to the library`);
  report('direct upload', fileBytes, uploaded, uploadOfOne);
  report('direct download', fileBytes, downloaded, downloadOfOne);
}

function report(what: string, fileBytes: number, bytes: number, bytesOfOne: number): void {
  const kib = (count: number) => `${(count / 1024).toFixed(1)} KiB`;
  // Tokens, ids and log lines differ by some bytes from request to request.
  const share = ((bytes - bytesOfOne) / fileBytes) * 100;
  console.log(
    `${what} of ${fileBytes / MiB} MiB: the function process moves ${kib(bytes)}, for a file of one byte ${kib(bytesOfOne)}: ` +
      `${share.toFixed(2)} % of the file go through the service (goal 0)`,
  );
}

/** Bytes that the function process reads and writes during `work`, on all its sockets and files (proc_pid_io(5)). */
async function moved(service: DocumentService, work: () => Promise<unknown>): Promise<number> {
  const before = await totalOf(service.host.workerPid);
  await work();
  return (await totalOf(service.host.workerPid)) - before;
}

async function totalOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/io`, 'utf8');
  const [read, written] = ['rchar', 'wchar'].map((name) =>
    Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN),
  );
  return read! + written!;
}
