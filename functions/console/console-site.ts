import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpResponseInit } from '@azure/functions';
import Negotiator from 'negotiator';
import {
  assetsName,
  builtAssets,
  nonceInPage,
  pageName,
  settingsInPage,
  suffixOf,
  type Asset,
} from './built-console.ts';

/** The settings that the console depends on, by their variables' names. */
export interface ConsoleSettings {
  readonly IDP_TENANT_ID: string;
  readonly IDP_API_CLIENT_ID: string;
  readonly IDP_API_SCOPE: string;
  readonly IDP_AUTHORITY_HOST: string;
  readonly CONSOLE_CLIENT_ID: string;
  readonly CONSOLE_AUTHORITY_HOST: string | undefined;
  readonly CONSOLE_UPLOAD_ORIGIN: string | undefined;
  readonly DOCLIB_SITE_ID: string | undefined;
}

/** Responds to a path below `/api/console`; with undefined to the name of a file that does not exist. */
export type ConsoleSite = (
  path: string,
  headers: Pick<Headers, 'get'>,
) => Promise<HttpResponseInit | undefined>;

const commonHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/** @param directory where the build has put the files */
export async function openConsole(directory: string, values: ConsoleSettings): Promise<ConsoleSite> {
  const read = (name: string): Promise<string> => readFile(join(directory, name), 'utf8');
  const [html, json] = await Promise.all([read(pageName), read(assetsName)]);
  const assets = builtAssets.parse(JSON.parse(json));
  const authorityHost = values.CONSOLE_AUTHORITY_HOST ?? values.IDP_AUTHORITY_HOST;
  const connectTo = [new URL(authorityHost).origin, ...uploadOrigins(values)];
  // Nothing in it is secret.
  const page = html.replace(settingsInPage, () =>
    jsonInHtml({
      authority: `${authorityHost}/${values.IDP_TENANT_ID}`,
      issuer: `${values.IDP_AUTHORITY_HOST}/${values.IDP_TENANT_ID}/v2.0`,
      clientId: values.CONSOLE_CLIENT_ID,
      // By client id, which Entra ID accepts with any application id URI.
      scope: `${values.IDP_API_CLIENT_ID}/${values.IDP_API_SCOPE}`,
    }),
  );
  return async (path, headers) => {
    // Every other path is a view of the page.
    if (!/^assets\/|^icon\.svg$/.test(path)) return pageResponse(page, connectTo);
    // Only listed names, so no URL leads elsewhere. One of an earlier release is not listed.
    return Object.hasOwn(assets, path)
      ? fileResponse(join(directory, path), assets[path]!, headers)
      : undefined;
  };
}

/** Direct uploads go to the host of the library's site, the first part of its id. */
function uploadOrigins({ CONSOLE_UPLOAD_ORIGIN, DOCLIB_SITE_ID }: ConsoleSettings): string[] {
  if (CONSOLE_UPLOAD_ORIGIN !== undefined) return [new URL(CONSOLE_UPLOAD_ORIGIN).origin];
  return DOCLIB_SITE_ID === undefined ? [] : [`https://${DOCLIB_SITE_ID.split(',')[0]}`];
}

/** A script element ends at the first `</script`, even inside a string. */
const jsonInHtml = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');

function pageResponse(page: string, connectTo: readonly string[]): HttpResponseInit {
  const nonce = randomBytes(16).toString('base64');
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // Every response has its own nonce.
      'cache-control': 'no-store',
      'content-security-policy': policy(nonce, connectTo),
      ...commonHeaders,
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    },
    body: page.replace(nonceInPage, nonce),
  };
}

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

async function fileResponse(
  file: string,
  { contentType, encodings }: Asset,
  request: Pick<Headers, 'get'>,
): Promise<HttpResponseInit> {
  const negotiator = new Negotiator({
    headers: { 'accept-encoding': request.get('accept-encoding') ?? '' },
  });
  const accepted = new Set(negotiator.encodings([...encodings]));
  const encoding = encodings.find((each) => accepted.has(each));
  return {
    headers: {
      'content-type': contentType,
      ...(encoding && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      // The name changes with the content.
      'cache-control': 'public, max-age=31536000, immutable',
      ...commonHeaders,
    },
    body: await readFile(encoding ? file + suffixOf[encoding] : file),
  };
}
