// node mirror.js FOLDER smb://server/share/folder: copies what is missing or older on one side, both ways. Ctrl+C cancels.
import { mkdir } from 'node:fs/promises';
import { isTemporaryName, SmbNetwork } from 'folder-agent-smb';

const [folder, url] = process.argv.slice(2);
const { SMB_PORT: port = '445', SMB_USER: username, SMB_PASSWORD: password } = process.env;
const network = new SmbNetwork({ port: Number(port), username, password });
const remote = network.folder(url);
const cancel = new AbortController();
process.once('SIGINT', () => cancel.abort());

const options = (arrow) => ({
  recursive: true,
  update: true,
  preserveTimestamps: true,
  filter: (path, { name }) => !isTemporaryName(name),
  onProgress: ({ path, done, size }) => console.log(`${path} ${arrow} ${Math.round((done / size) * 100)} %`),
  signal: cancel.signal,
});
try {
  await mkdir(folder, { recursive: true });
  await remote.mkdir('', { recursive: true, signal: cancel.signal });
  await remote.upload(folder, '', options('→'));
  await remote.download('', folder, options('←'));
} catch (error) {
  if (error.name !== 'AbortError') throw error;
  console.log('canceled');
  process.exitCode = 1;
} finally {
  await network.close();
}
