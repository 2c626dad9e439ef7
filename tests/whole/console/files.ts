import { createHash } from 'node:crypto';
import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Stage } from './stage.ts';
import { visit } from './visit.ts';

const firstLoadLimit = 300 * 1024;

interface RawResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The bytes as they are transmitted; `fetch` would decode them. */
function get(url: string, headers: Record<string, string> = {}): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    })
      .on('error', reject)
      .end();
  });
}

/** URLs in the page's HTML. */
const linksIn = (html: string): string[] =>
  [...html.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);

export function fileStories(stage: () => Stage): void {
  const urlOf = (path: string): string => new URL(path, stage().url).href;

  test(`the first load is at most 300 KiB, by gzip and by brotli`, async () => {
    const page = await get(stage().url);
    for (const encoding of ['gzip', 'br']) {
      const files = await Promise.all(
        linksIn(page.body.toString()).map((path) => get(urlOf(path), { 'accept-encoding': encoding })),
      );
      const bytes = files.reduce((total, { body }) => total + body.length, page.body.length);
      expect(files.every(({ status }) => status === 200)).toBe(true);
      expect(bytes).toBeLessThan(firstLoadLimit);
    }
  });

  test('the page names all that it loads before it shows anything', async () => {
    const named = linksIn((await get(stage().url)).body.toString());
    const page = await stage().page();
    const loaded: string[] = [];
    page.on('request', (each) => {
      // Not the redirects that look for a session at the identity provider.
      if (each.resourceType() !== 'document') loaded.push(new URL(each.url()).pathname);
    });
    await page.goto(stage().url);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    // A browser without a window shows no icon and does not load it.
    const icon: string = await page.evaluate(`(async () => {
      const image = new Image();
      image.src = document.querySelector('link[rel=icon]').href;
      await image.decode();
      return image.src;
    })()`);
    expect(new URL(icon).pathname).toBe('/api/console/icon.svg');
    expect(new Set(loaded)).toEqual(new Set(named));
  });

  test('every response of the page has its own nonce and allows no origin that it does not need', async () => {
    const [first, second] = [await get(stage().url), await get(stage().url)];
    const policyOf = ({ headers }: RawResponse) => String(headers['content-security-policy']);
    const { identityProvider } = stage().stack;
    expect(policyOf(first)).not.toBe(policyOf(second));
    expect(
      policyOf(first)
        .replace(/nonce-[^']+/, 'nonce-N')
        .split('; '),
    ).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'nonce-N'",
      `connect-src 'self' ${identityProvider.browserUrl} ${stage().uploadOrigin}`,
      "img-src 'self'",
      "font-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(first.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    // Its only inline script element contains data.
    expect(first.body.toString().match(/<script[^>]*>(?=[^<])/g)).toEqual([
      '<script type="application/json" id="settings">',
    ]);
  });

  test('files are immutable for caches, and compressed as the client accepts', async () => {
    const links = linksIn((await get(stage().url)).body.toString());
    const script = links.find((path) => /\/app-.*\.js$/.test(path)) ?? '';
    const plain = await get(urlOf(script));
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const [accepted, encoding, unpack] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ] as const) {
      const packed = await get(urlOf(script), { 'accept-encoding': accepted });
      expect(packed.headers['content-encoding']).toBe(encoding);
      expect(digest(unpack(packed.body))).toBe(digest(plain.body));
    }
    const uncompressed = await get(urlOf(script), { 'accept-encoding': 'br;q=0, gzip;q=0' });
    expect(uncompressed.headers['content-encoding']).toBeUndefined();
  });

  test('HEAD returns the status and headers of GET without a body, also for an address that is malformed', async () => {
    for (const path of ['', '/', '/overview', '/documents/%E0%A4%A', '/icon.svg', '/assets/none.js']) {
      const [head, full] = await Promise.all([
        fetch(stage().url + path, { method: 'HEAD' }),
        fetch(stage().url + path),
      ]);
      expect([path, head.status, head.headers.get('content-type')]).toEqual([
        path,
        full.status,
        full.headers.get('content-type'),
      ]);
      expect(await head.text()).toBe('');
      expect(full.status).toBe(path.startsWith('/assets') ? 404 : 200);
    }
    const page = await stage().signedIn('projectManager', '/documents/%E0%A4%A');
    await page.getByText('There is no project with this ID.').waitFor();
    await visit(page, '/nowhere/%E0%A4%A');
    await page.getByText('There is no such page.').waitFor();
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
  });

  test('a file name of another release is 404 and not the page; every other path is a view', async () => {
    const gone = await get(`${stage().url}/assets/app-00000000.js`);
    expect([gone.status, gone.headers['content-type']]).toEqual([404, 'application/problem+json']);
    expect((await get(`${stage().url}/assets/__proto__`)).status).toBe(404);
    for (const path of ['', '/', '/folder-requests/1?status=FAILED', '/signed-in']) {
      const view = await get(stage().url + path);
      expect([path, view.status, view.headers['content-type']]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
    }
  });
}
