export interface ContenderJob {
  readonly kind: 'this client' | 'this client, connecting only' | '@tryjsky/v9u-smb2' | '@marsaud/smb2';
  readonly host: string;
  readonly port: number;
  readonly account: { readonly user: string; readonly password: string; readonly domain: string };
  readonly destination: string;
}

export interface ContenderResult {
  readonly seconds: number;
  readonly peakMemoryBytes: number;
  /** What the client itself counted, TCP payload. */
  readonly bytes?: number | undefined;
  readonly frames?: number | undefined;
  /** Operations the client had to be asked for again. */
  readonly retries?: number | undefined;
  readonly failure?: string | undefined;
}
