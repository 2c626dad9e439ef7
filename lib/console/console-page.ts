import { randomBytes } from 'node:crypto';
import type { ConsoleManifest } from './console-files.ts';

/** Configuration of this deployment for the page; nothing in it is secret. */
export interface PageSettings {
  /** Base of the sign-in endpoints as the browser reaches it, with the tenant: `https://login…/<tenant>`. */
  readonly authority: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Scope of the API that the page requests. */
  readonly scope: string;
}

/** The path of every file of the console begins with it. */
export const consolePath = '/api/console';

/** The one HTML document: every path of the console that is not a file is a view of it. */
export function consolePage(
  { script, styles, preloads }: ConsoleManifest,
  settings: PageSettings,
  { connectTo }: { connectTo: readonly string[] },
): { headers: Record<string, string>; body: string } {
  const nonce = randomBytes(16).toString('base64');
  const urlOf = (name: string) => `${consolePath}/${name}`;
  const body = `<!doctype html>
<html lang="de">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Projektordner</title>
<link rel="icon" href="${urlOf('icon.svg')}" type="image/svg+xml">
${styles.map((name) => `<link rel="stylesheet" href="${urlOf(name)}">`).join('\n')}
${preloads.map((name) => `<link rel="modulepreload" href="${urlOf(name)}">`).join('\n')}
<script type="application/json" id="settings">${jsonInHtml(settings)}</script>
<script type="module" src="${urlOf(script)}" nonce="${nonce}"></script>
</head>
<body><div id="root"></div></body>
</html>
`;
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // Every response has its own nonce.
      'cache-control': 'no-store',
      'content-security-policy': policy(nonce, connectTo),
      ...pageHeaders,
    },
    body,
  };
}

/** Headers of every response of the console. */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

const pageHeaders = {
  ...commonHeaders,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/**
 * No inline script, and no foreign origin except those that the page calls. The nonce is for the style elements that
 * the components create at run time (Griffel fills them through the CSSOM, but their creation is checked); Safari does
 * not accept the hash of an empty element instead.
 */
function policy(nonce: string, connectTo: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    ["connect-src 'self'", ...new Set(connectTo)].join(' '),
    "img-src 'self'",
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

/** A script element ends at the first `</script`, even inside a string. */
const jsonInHtml = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');
