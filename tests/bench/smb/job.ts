/** Of what is between a client and a server; signed is without encryption. */
export type Protection = 'encrypted' | 'signed';

export interface ContenderJob {
  readonly kind:
    | 'this client'
    | 'this client, connecting only'
    | 'this client, upload'
    | 'this client, download'
    | '@tryjsky/v9u-smb2'
    | '@marsaud/smb2';
  /** The checkout whose client runs; for the npm clients it makes no difference. */
  readonly checkout: string;
  readonly host: string;
  readonly port: number;
  readonly account: { readonly user: string; readonly password: string; readonly domain: string };
  /** A directory on the share. */
  readonly destination: string;
  /** The local directory that is uploaded or downloaded to, and the built package that does it. */
  readonly local?:
    | { readonly folder: string; readonly builtPackage: string; readonly protection: Protection }
    | undefined;
}

export interface ContenderResult {
  readonly seconds: number;
  /** Processor time of the client; undefined when it is not measured. */
  readonly processorSeconds?: number | undefined;
  readonly peakMemoryBytes: number;
  /** TCP payload, as counted by the client itself. */
  readonly bytes?: number | undefined;
  readonly frames?: number | undefined;
  /** Operations that had to be repeated. */
  readonly retries?: number | undefined;
  readonly failure?: string | undefined;
}
