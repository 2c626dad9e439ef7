// NTSTATUS (MS-ERREF 2.3.1) of what this server rejects.
export const status = {
  success: 0,
  pending: 0x103,
  bufferOverflow: 0x80000005,
  noMoreFiles: 0x80000006,
  invalidInfoClass: 0xc0000003,
  infoLengthMismatch: 0xc0000004,
  invalidHandle: 0xc0000008,
  invalidParameter: 0xc000000d,
  noSuchFile: 0xc000000f,
  invalidRequest: 0xc0000010,
  endOfFile: 0xc0000011,
  invalidViewSize: 0xc000001f,
  moreProcessing: 0xc0000016,
  accessDenied: 0xc0000022,
  nameInvalid: 0xc0000033,
  nameNotFound: 0xc0000034,
  collision: 0xc0000035,
  pathNotFound: 0xc000003a,
  pathSyntax: 0xc000003b,
  sharing: 0xc0000043,
  deletePending: 0xc0000056,
  logonFailure: 0xc000006d,
  diskFull: 0xc000007f,
  readOnlyMedia: 0xc00000a2,
  isDirectory: 0xc00000ba,
  notSupported: 0xc00000bb,
  shareDeleted: 0xc00000c9,
  badShare: 0xc00000cc,
  otherDevice: 0xc00000d4,
  internal: 0xc00000e5,
  notEmpty: 0xc0000101,
  notDirectory: 0xc0000103,
  nameTooLong: 0xc0000106,
  tooManyFiles: 0xc000011f,
  cannotDelete: 0xc0000121,
  fileClosed: 0xc0000128,
  noDfs: 0xc000019c,
  sessionDeleted: 0xc0000203,
} as const;

/** Without a stack, which nobody reads: the server turns each into a response. With one it takes 6 µs, without 0.5 µs. */
export class NtError extends Error {
  readonly status: number;

  constructor(status: number) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`0x${status.toString(16)}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
  }
}

const ofCode: Record<string, number> = {
  ENOENT: status.nameNotFound,
  EEXIST: status.collision,
  EACCES: status.accessDenied,
  EPERM: status.accessDenied,
  ENOSPC: status.diskFull,
  EDQUOT: status.diskFull,
  EROFS: status.readOnlyMedia,
  EISDIR: status.isDirectory,
  ENOTDIR: status.pathNotFound,
  ENOTEMPTY: status.notEmpty,
  ENAMETOOLONG: status.nameInvalid,
  EMFILE: status.tooManyFiles,
  ENFILE: status.tooManyFiles,
  EXDEV: status.otherDevice,
  EBUSY: status.sharing,
  EFBIG: status.diskFull,
  EINVAL: status.invalidParameter,
  ELOOP: status.accessDenied,
};

/** The NTSTATUS of an error of the system; undefined for others. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof NtError) return error.status;
  return ofCode[(error as NodeJS.ErrnoException).code ?? ''];
}
