// node mirror.js FOLDER smb://server/share/folder: copies what is missing or older on one side, both ways. Ctrl+C cancels.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SmbNetwork } from 'folder-agent-smb';

const [folder, url] = process.argv.slice(2);
const { SMB_PORT: port = '445', SMB_USER: username, SMB_PASSWORD: password } = process.env;
const network = new SmbNetwork({ port: Number(port), username, password });
const remote = network.folder(url);
const cancel = new AbortController();
const { signal } = cancel;
process.once('SIGINT', () => cancel.abort());

async function mirror(path) {
  await mkdir(join(folder, path), { recursive: true });
  await remote.mkdir(path, { recursive: true, signal });
  const here = new Map();
  for (const name of await readdir(join(folder, path))) here.set(name, await stat(join(folder, path, name)));
  const there = new Map((await remote.list(path, { signal })).map((entry) => [entry.name, entry]));
  for (const name of new Set([...here.keys(), ...there.keys()])) {
    const child = join(path, name);
    const [near, far] = [here.get(name), there.get(name)];
    if ((near ?? far).isDirectory()) await mirror(child);
    else if (!far || near?.mtime > far.mtime) {
      const contents = withProgress(`${child} →`, near.size, createReadStream(join(folder, child)));
      await remote.publish(child, contents, { replace: true, info: { writtenAt: near.mtime }, signal });
    } else if (!near || far.mtime > near.mtime) {
      const contents = withProgress(`${child} ←`, far.size, remote.createReadStream(child));
      const part = join(folder, `${child}.part`);
      try {
        await pipeline(contents, createWriteStream(part), { signal });
        await utimes(part, far.atime, far.mtime);
        await rename(part, join(folder, child));
      } finally {
        await rm(part, { force: true });
      }
    }
  }
}

async function* withProgress(what, size, contents) {
  let done = 0;
  for await (const chunk of contents) {
    yield chunk;
    done += chunk.length;
    console.log(`${what} ${Math.round((done / size) * 100)} %`);
  }
}

try {
  await mirror('');
} catch (error) {
  if (error.name !== 'AbortError') throw error;
  console.log('canceled');
  process.exitCode = 1;
} finally {
  await network.close();
}
