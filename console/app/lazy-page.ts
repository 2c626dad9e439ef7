/** Why the file of a page was not loaded: the service does not respond, it has another release, or another reason. */
export type LoadFailure = 'unreachable' | 'newRelease' | 'other';

export type OpenedPage<View> =
  | { readonly view: View; readonly failure?: undefined }
  | { readonly failure: LoadFailure };

/** The release of the console: that of this tab, and that of the service. */
export interface Releases {
  readonly own: string;
  /** Asks the service. Rejects while it is unreachable; undefined if a gateway or proxy responds instead of it. */
  readonly served: () => Promise<string | undefined>;
  /** Loads the page of the served release. False if it does not, because input would be lost or it has before. */
  readonly reload: (served: string) => boolean;
}

/** The file of a page, loaded when the page is opened. A deployment removes the files of the release that a tab runs. */
export class LazyPage<View> {
  readonly #load: () => Promise<View>;
  readonly #releases: Releases;
  #opened: Promise<OpenedPage<View>> | undefined;

  constructor(load: () => Promise<View>, releases: Releases) {
    this.#load = load;
    this.#releases = releases;
  }

  /** The same promise at each call, until `forget`. It remains pending while the page of a new release is loaded. */
  opened(): Promise<OpenedPage<View>> {
    this.#opened ??= this.#load().then(
      (view) => ({ view }),
      () => this.#afterFailure(),
    );
    return this.#opened;
  }

  /** The next `opened` loads the file again. */
  forget(): void {
    this.#opened = undefined;
  }

  /** Loads the file in advance, so the page opens while the service is down, and after a deployment. */
  async preload(): Promise<void> {
    await this.#load().catch(() => undefined);
  }

  async #afterFailure(): Promise<OpenedPage<View>> {
    const { own, served, reload } = this.#releases;
    const current = await served().catch(() => undefined);
    if (current === undefined) return { failure: 'unreachable' };
    if (current === own) return { failure: 'other' };
    return reload(current) ? new Promise(() => undefined) : { failure: 'newRelease' };
  }
}
