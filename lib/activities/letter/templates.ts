import { readFile, stat } from 'node:fs/promises';
import type { BlobClient } from '@azure/storage-blob';
import type { EventLog } from '../../base/event-log.ts';
import { faultAt, ServiceError } from '../../base/service-error.ts';
import { limits } from './word/template-zip.ts';
import { InvalidTemplateError, templateRejection } from './word/template-rejection.ts';
import { prepareTemplate, type WordTemplate } from './word-template.ts';

/** A template as it is stored now. */
interface StoredTemplate {
  /** Changes whenever the template changes. */
  readonly version: string;
  readonly bytes: number;
  readonly read: () => Promise<Buffer>;
}
type TemplateSource = () => Promise<StoredTemplate>;

export const fileSource =
  (path: string): TemplateSource =>
  async () => {
    const { mtimeNs, size } = await stat(path, { bigint: true });
    return { version: `${mtimeNs}-${size}`, bytes: Number(size), read: () => readFile(path) };
  };

export const blobSource =
  (blobAt: () => Promise<BlobClient>): TemplateSource =>
  async () => {
    const blob = await blobAt();
    const { etag = '', contentLength = 0 } = await blob.getProperties();
    return { version: etag, bytes: contentLength, read: () => blob.downloadToBuffer() };
  };

/** The templates by name, each prepared once, and again after it was replaced. */
export class Templates {
  readonly #templates: ReadonlyMap<string, (log: EventLog) => Promise<WordTemplate>>;

  /** @param paths by name; the first is the default */
  constructor(paths: ReadonlyMap<string, string>, sourceOf: (path: string) => TemplateSource) {
    this.#templates = new Map(
      [...paths].map(([name, path], index) => {
        const setting = index === 0 ? 'WORD_TEMPLATE_PATH' : `WORD_TEMPLATES (${name})`;
        return [name, templateReader(sourceOf(path), setting)];
      }),
    );
  }

  get items(): { name: string; isDefault: boolean }[] {
    return [...this.#templates.keys()].map((name, index) => ({ name, isDefault: index === 0 }));
  }

  /**
   * @param name default: the one named like the language (`en-GB`, else `en`), else the first
   * @throws ServiceError `invalid_request` for an unknown name, `word_template_not_found`, `word_template_invalid`
   */
  async template(name: string | undefined, language: string, log: EventLog): Promise<WordTemplate> {
    const names = [...this.#templates.keys()];
    const chosen =
      name ?? [language, new Intl.Locale(language).language].find((each) => names.includes(each));
    const prepared = this.#templates.get(chosen ?? names[0]!);
    if (prepared !== undefined) return prepared(log);
    const detail = `There is no template of this name; the templates are ${names.join(', ')}.`;
    throw new ServiceError('invalid_request', {
      detail,
      errors: [faultAt('body.template', 'unknown_template')],
    });
  }
}

/** @param setting that names the template, for its errors */
function templateReader(source: TemplateSource, setting: string): (log: EventLog) => Promise<WordTemplate> {
  let current: { readonly version: string; readonly template: Promise<WordTemplate> } | undefined;
  const prepare = async ({ bytes, read }: StoredTemplate, log: EventLog): Promise<WordTemplate> => {
    if (bytes > limits.fileBytes) throw templateRejection('The file is larger than 10 MiB.');
    // A letter needs its text.
    const template = prepareTemplate(await read(), ['content']);
    for (const { kind, message } of template.findings) {
      log.info('word_template_finding', { setting, kind, finding: message });
    }
    return template;
  };
  return async (log) => {
    try {
      const stored = await source();
      // A template replaced before it is read is cached under its old version, and read again by the next request.
      if (current?.version !== stored.version) {
        current = { version: stored.version, template: prepare(stored, log) };
      }
      return await current.template;
    } catch (error) {
      if (error instanceof InvalidTemplateError) throw invalid(error, setting);
      // A failed read may succeed next time; an invalid template remains invalid until it is replaced.
      current = undefined;
      throw new ServiceError('word_template_not_found', {
        detail: `The Word template that ${setting} names is missing or cannot be read.`,
        cause: error,
      });
    }
  };
}

function invalid({ faults }: InvalidTemplateError, setting: string): ServiceError {
  return new ServiceError('word_template_invalid', {
    detail: `The Word template that ${setting} names has faults; see errors.`,
    errors: faults.map(({ path, message }) => ({
      ...faultAt(path, 'template_fault', { part: path }),
      message,
    })),
  });
}
