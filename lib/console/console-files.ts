import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Negotiator from 'negotiator';
import { z } from 'zod';

const asset = z.object({
  contentType: z.string(),
  /** Digest of the content, without quotes. */
  hash: z.string(),
  /** Encodings for which the build has written a copy: `<name>.br`, `<name>.gz`. */
  encodings: z.array(z.enum(['br', 'gzip'])),
});

const manifest = z.object({
  /** What the page loads: URLs below `/api/console/`. */
  script: z.string(),
  styles: z.array(z.string()),
  /** What the script imports statically; listed in the page, to load it in the same round trip. */
  preloads: z.array(z.string()),
  assets: z.record(z.string(), asset),
});

export type ConsoleManifest = z.output<typeof manifest>;
type Asset = z.output<typeof asset>;

/** Where the build writes the manifest, in the directory of the console's files. */
export const manifestName = 'manifest.json';
export const suffixOf = { br: '.br', gzip: '.gz' } as const;

export interface AssetResponse {
  readonly status: 200 | 304;
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array;
}

/** The console's files, as written by the build. Only names in the manifest are served, so no URL leads elsewhere. */
export class ConsoleFiles {
  readonly #directory: string;
  readonly manifest: ConsoleManifest;

  private constructor(directory: string, read: ConsoleManifest) {
    this.#directory = directory;
    this.manifest = read;
  }

  static async open(directory: string): Promise<ConsoleFiles> {
    const text = await readFile(join(directory, manifestName), 'utf8');
    return new ConsoleFiles(directory, manifest.parse(JSON.parse(text)));
  }

  /** `undefined` when there is no file of that name, such as one of an earlier release. */
  async respond(
    name: string,
    { acceptEncoding, ifNoneMatch }: { acceptEncoding: string | null; ifNoneMatch: string | null },
  ): Promise<AssetResponse | undefined> {
    if (!Object.hasOwn(this.manifest.assets, name)) return undefined;
    const found = this.manifest.assets[name]!;
    const encoding = encodingFor(found, acceptEncoding);
    // RFC 9110 8.8.3: another encoding is another representation, with an ETag of its own.
    const etag = `"${found.hash}${encoding ? `-${encoding}` : ''}"`;
    const headers = {
      etag,
      vary: 'accept-encoding',
      // The name changes with the content.
      'cache-control': 'public, max-age=31536000, immutable',
    };
    if (ifNoneMatch?.split(/\s*,\s*/).includes(etag)) return { status: 304, headers };
    return {
      status: 200,
      headers: {
        ...headers,
        'content-type': found.contentType,
        ...(encoding && { 'content-encoding': encoding }),
      },
      body: await readFile(join(this.#directory, `${name}${encoding ? suffixOf[encoding] : ''}`)),
    };
  }
}

/** The smallest copy that the client accepts; the build lists them in this order. */
function encodingFor({ encodings }: Asset, acceptEncoding: string | null): keyof typeof suffixOf | undefined {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding ?? '' } });
  const accepted = new Set(negotiator.encodings([...encodings]));
  return encodings.find((encoding) => accepted.has(encoding));
}
