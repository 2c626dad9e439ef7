import { SmbClient } from 'folder-agent-smb';

const { SMB_HOST: host, SMB_PORT: port, SMB_SHARE, SMB_USER: username, SMB_PASSWORD: password } = process.env;
const client = new SmbClient({ host, port: Number(port), username, password });
const share = client.share(SMB_SHARE);
await share.mkdir('4711/plans', { recursive: true });
await share.writeFile('4711/plans/note.txt', 'written over SMB 3');
for (const { name, size, mtime } of await share.list('4711/plans')) console.log(name, size, mtime);
console.log(await share.readFile('4711/plans/note.txt', 'utf8'));
await client.close();
