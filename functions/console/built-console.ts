// What the build (release/build/build-console.ts) and the service know about the console's directory.
import * as z from 'zod';

/** The path of every file of the console begins with it. */
export const consolePath = '/api/console';

/** The one HTML document. The service replaces what differs between deployments, and between responses. */
export const pageName = 'page.html';
export const settingsInPage = '{{settings}}';
export const nonceInPage = '{{nonce}}';

/** The other files, by their paths below {@link consolePath}. */
export const assetsName = 'assets.json';
export const builtAssets = z.record(
  z.string(),
  z.object({
    contentType: z.string(),
    /** Encodings with a copy, the smallest first. */
    encodings: z.array(z.enum(['br', 'gzip'])).readonly(),
  }),
);
export type Assets = Readonly<z.output<typeof builtAssets>>;
export type Asset = Assets[string];

/** Of the names of compressed copies. */
export const suffixOf = { br: '.br', gzip: '.gz' } as const;
