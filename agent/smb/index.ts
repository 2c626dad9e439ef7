/**
 * A client for SMB 2.1, 3.0, 3.0.2 and 3.1.1 in TypeScript, without native code and without dependencies: NTLMv2,
 * Kerberos, mandatory signing, encryption, compounds, pipelining and server-side copy. It imports nothing from outside
 * its folder.
 *
 *     const client = new SmbClient({ host: 'fileserver', username, password });
 *     const templates = client.share('templates');
 *     for (const entry of await templates.list('standard')) …
 *     await client.share('projects').cp({ share: templates, path: 'standard' }, '4711', { recursive: true });
 *     await client.close();
 */
export { SmbClient, type ConnectionInfo, type Traffic } from './client.ts';
export type { RealmStatus } from './kerberos/index.ts';
export { type CallOptions, type CopySource, FileCalls, type ListOptions } from './files/file-calls.ts';
export type { BufferPart } from './calls/file.ts';
export type { CpOptions } from './files/copy-tree.ts';
export type { TransferOptions, TransferProgress } from './files/local-tree.ts';
export type { RmOptions } from './files/remove.ts';
export type { OpenFlag } from './files/write-file.ts';
export type { ReadStreamOptions } from './files/file-streams.ts';
export type { PublishOptions } from './files/draft.ts';
export type { FileSystemSpace } from './wire/query-info.ts';
export type { ShareInfo } from './wire/srvsvc.ts';
export { SmbShare } from './share.ts';
export { SmbNetwork, type SmbNetworkOptions } from './network.ts';
export type { Location, SmbFolder } from './folder.ts';
export type { DfsOptions } from './dfs/namespaces.ts';
export type { Dial, NameOf } from './session/servers.ts';
export type { CopyResult, PublishOutcome } from './calls/publish-outcome.ts';
export type { FileContents, SmbFile } from './calls/file.ts';
export { FileAttribute, type BasicInfo, DirectoryEntry, Entry } from './base/entry.ts';
export { SmbError, type SmbErrorCode, type SmbErrorFacts, type SmbPhase } from './base/smb-error.ts';
export {
  SmbAccount,
  type AccountOptions,
  type FallbackListener,
  type KerberosAccountOptions,
  type NtlmOptions,
} from './account/account.ts';
export type { Cipher, Dialect, SigningAlgorithm } from './base/algorithms.ts';
export type { SmbOptions, Timeouts, TraceEvent } from './account/options.ts';
export { isTemporaryName, nameKey, nameMatcher } from './base/names.ts';
