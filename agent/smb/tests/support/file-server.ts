/** `limited`: served as an account that only has the permissions of all, although the tests run as root. */
export type ShareKind = 'plain' | 'readOnly' | 'limited';

export interface FileServerOptions {
  /** More shares beside `template` and `projects`. */
  readonly moreShares?: Readonly<Record<string, ShareKind>>;
  /** Samba moves what a client deletes on the project share to `#recycle` there. The embedded server has no such thing. */
  readonly hasRecycleBin?: boolean;
  /** Where share folders and state are stored; by default a new folder in the system's temporary folder. */
  readonly folder?: string;
  /** A fixed port, for the local stack; by default a free one. */
  readonly port?: number;
}

/** What tests and the local stack need of a file server, whichever it is. */
export interface TestFileServer {
  readonly host: string;
  readonly port: number;
  readonly account: { readonly user: string; readonly password: string; readonly domain: string };
  readonly templateShare: string;
  readonly projectShare: string;
  readonly templateFolder: string;
  readonly projectFolder: string;
  /** The processes that serve connections. */
  connectionPids(): Promise<number[]>;
  /** SIGSTOP makes the server silent, SIGKILL disconnects it. Resolves with the number of connections. */
  signalConnections(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<number>;
  /** Ends all connections, and accepts no further ones. The port remains reserved for `restart`. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  /** Removes the folder if the server made it. */
  stop(): Promise<void>;
}
