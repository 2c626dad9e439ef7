import type { HttpResponseInit } from '@azure/functions';
import { ConsoleFiles } from './console-files.ts';
import { commonHeaders, consolePage, type PageSettings } from './console-page.ts';

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

/** Responds to `/api/console` and everything below it. */
export class ConsoleSite {
  readonly #files: ConsoleFiles;
  readonly #settings: PageSettings;
  readonly #connectTo: readonly string[];

  private constructor(files: ConsoleFiles, values: ConsoleSettings) {
    const authorityHost = values.CONSOLE_AUTHORITY_HOST ?? values.IDP_AUTHORITY_HOST;
    this.#files = files;
    this.#settings = {
      authority: `${authorityHost}/${values.IDP_TENANT_ID}`,
      issuer: `${values.IDP_AUTHORITY_HOST}/${values.IDP_TENANT_ID}/v2.0`,
      clientId: values.CONSOLE_CLIENT_ID,
      // By client id, which Entra ID accepts with any application id URI.
      scope: `${values.IDP_API_CLIENT_ID}/${values.IDP_API_SCOPE}`,
    };
    this.#connectTo = [new URL(authorityHost).origin, ...uploadOrigins(values)];
  }

  /** @param directory where the build has put the files */
  static async open(directory: string, values: ConsoleSettings): Promise<ConsoleSite> {
    return new ConsoleSite(await ConsoleFiles.open(directory), values);
  }

  /** @returns undefined for the name of a file that does not exist */
  async respond(path: string, headers: Pick<Headers, 'get'>): Promise<HttpResponseInit | undefined> {
    if (!/^assets\/|^icon\.svg$/.test(path)) {
      return consolePage(this.#files.manifest, this.#settings, { connectTo: this.#connectTo });
    }
    const file = await this.#files.respond(path, {
      acceptEncoding: headers.get('accept-encoding'),
      ifNoneMatch: headers.get('if-none-match'),
    });
    return file && { ...file, headers: { ...file.headers, ...commonHeaders } };
  }
}

/** Direct uploads go to the host of the library's site, the first part of its id. */
function uploadOrigins({ CONSOLE_UPLOAD_ORIGIN, DOCLIB_SITE_ID }: ConsoleSettings): string[] {
  if (CONSOLE_UPLOAD_ORIGIN !== undefined) return [new URL(CONSOLE_UPLOAD_ORIGIN).origin];
  return DOCLIB_SITE_ID === undefined ? [] : [`https://${DOCLIB_SITE_ID.split(',')[0]}`];
}
