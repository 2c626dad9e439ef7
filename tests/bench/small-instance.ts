import { randomBytes } from 'node:crypto';
import { DirectUploader } from '../support/direct-upload.ts';
import { startDocumentService } from '../support/document-service.ts';
import { boundMiB, concurrentUploads } from '../support/small-instance.ts';
import { downloadThrough, residentKiB, startHost, uploadThrough } from './documents.ts';

const MiB = 1024 * 1024;
const minutes = 4;

/**
 * The memory of the function process on an instance of 512 MB with an upload bound of 8 MiB: as many uploads of the largest
 * size as such an instance accepts at once, with downloads, lists and direct uploads of larger files between them, without
 * a pause. What the host leaves it is in docs/decisions/0035.
 */
export async function run(): Promise<void> {
  const service = await startDocumentService({ startHost });
  try {
    const project = await service.newProject();
    await service.call('POST', `/documents/projects/${project.id}/provision`);
    const direct = new DirectUploader(service, project.id);
    const large = Buffer.alloc(20 * MiB, randomBytes(MiB));
    const pid = service.host.workerPid;
    const mebibytes = async (field: 'VmRSS' | 'VmHWM') => ((await residentKiB(pid, field)) / 1024).toFixed(0);
    console.log(`at the start: ${await mebibytes('VmRSS')} MiB`);
    const endAtMs = performance.now() + minutes * 60_000;
    let uploads = 0;
    const callers = Array.from({ length: concurrentUploads }, async (_, caller) => {
      while (performance.now() < endAtMs) {
        const name = `${caller}.bin`;
        const id = await uploadThrough(service, project.id, name, boundMiB * MiB);
        await downloadThrough(service, id);
        await service.call('GET', `/documents/projects/${project.id}`);
        if (caller === 0)
          await direct.complete(
            await direct.sent(large, { fileName: 'large.bin', conflictBehavior: 'replace' }),
          );
        uploads += 1;
      }
    });
    const reports = (async () => {
      for (let minute = 1; minute <= minutes; minute += 1) {
        await new Promise((resolve) => setTimeout(resolve, 60_000));
        console.log(`after ${minute} min and ${uploads} uploads: ${await mebibytes('VmRSS')} MiB`);
      }
    })();
    await Promise.all([...callers, reports]);
    console.log(`peak: ${await mebibytes('VmHWM')} MiB`);
  } finally {
    await service.stop();
  }
}
