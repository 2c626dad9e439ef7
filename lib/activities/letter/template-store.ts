import { readFile, stat } from 'node:fs/promises';
import type { BlobClient } from '@azure/storage-blob';
import { faultAt, ServiceError } from '../../base/service-error.ts';
import { packageLimits } from './office-package.ts';
import { InvalidTemplateError, prepareTemplate, type WordTemplate } from './word-template.ts';

/** Where the template is stored. */
export interface TemplateSource {
  /** The id changes whenever the template changes. */
  version(): Promise<{ readonly id: string; readonly bytes: number }>;
  read(): Promise<Buffer>;
}

/**
 * A template, prepared once; each call checks its version and prepares it again after it was replaced.
 * @param setting that names the template, for its errors
 * @returns a function that throws ServiceError `word_template_not_found` or `word_template_invalid`
 */
export function storedTemplate(
  source: TemplateSource,
  setting = 'WORD_TEMPLATE_PATH',
): () => Promise<WordTemplate> {
  let current: { readonly version: string; readonly template: Promise<WordTemplate> } | undefined;
  const prepared = async (bytes: number): Promise<WordTemplate> => {
    if (bytes > packageLimits.fileBytes) throw new InvalidTemplateError([tooLarge]);
    return prepareTemplate(await source.read(), requiredPlaceholders);
  };
  return async () => {
    try {
      const { id: version, bytes } = await source.version();
      // A template replaced between the two calls is cached under its old version, and read again by the next request.
      if (current?.version !== version) current = { version, template: prepared(bytes) };
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

export function fileSource(path: string): TemplateSource {
  return {
    async version() {
      const { mtimeNs, size } = await stat(path, { bigint: true });
      return { id: `${mtimeNs}-${size}`, bytes: Number(size) };
    },
    read: () => readFile(path),
  };
}

export function blobSource(blob: () => Promise<BlobClient>): TemplateSource {
  return {
    async version() {
      const { etag = '', contentLength = 0 } = await (await blob()).getProperties();
      return { id: etag, bytes: contentLength };
    },
    read: async () => (await blob()).downloadToBuffer(),
  };
}

// A letter needs its text.
const requiredPlaceholders = ['content'] as const;
const tooLarge = { path: 'template', message: 'The file is larger than 10 MiB.' };

function invalid(error: InvalidTemplateError, setting: string): ServiceError {
  const { faults } = error;
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
  return new ServiceError('word_template_invalid', {
    detail: `The Word template that ${setting} names has ${count}; see errors.`,
    errors: faults.map(({ path, message }) => ({
      ...faultAt(path, 'template_fault', { part: path }),
      message,
    })),
  });
}
