/** A fault that the owner of a template has to correct: `path` is the part of the file, `message` a full sentence. */
export interface TemplateFault {
  readonly path: string;
  readonly message: string;
}

export class InvalidTemplateError extends Error {
  override readonly name = 'InvalidTemplateError';
  readonly faults: readonly TemplateFault[];

  constructor(faults: readonly TemplateFault[], options?: ErrorOptions) {
    super(`The Word template has ${faults.length} fault(s).`, options);
    this.faults = faults;
  }
}

/** The error for a fault of the whole file. */
export const rejected = (message: string, options?: ErrorOptions): InvalidTemplateError =>
  new InvalidTemplateError([{ path: 'template', message }], options);

/** What docxtemplater throws about a template (its `XTTemplateError` and `XTScopeParserError`). */
interface DocxtemplaterError extends Error {
  readonly properties: {
    readonly id: string;
    readonly file?: string;
    readonly xtag?: string;
    readonly explanation?: string;
    readonly errors?: readonly unknown[];
  };
}

const isDocxtemplaterError = (error: unknown): error is DocxtemplaterError =>
  error instanceof Error && typeof (error as Partial<DocxtemplaterError>).properties?.id === 'string';

/**
 * The faults that docxtemplater finds in the braces or the XML of a template.
 * @throws the error itself if it says nothing about the template
 */
export function syntaxFaultsOf(error: unknown): readonly TemplateFault[] {
  if (!isDocxtemplaterError(error)) throw error;
  const { id, file, xtag = '', explanation, errors } = error.properties;
  if (errors !== undefined) return errors.flatMap(syntaxFaultsOf);
  const sentence = sentences[id]?.(excerpt(xtag)) ?? explanation ?? error.message;
  return [{ path: file ?? 'template', message: sentence }];
}

const excerpt = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

const isNotClosed = (tag: string): string =>
  `The placeholder that begins with {{${tag.replace(/^\{+/, '')} is not closed with }}.`;
const isNotOpened = (tag: string): string => `There is a }} without a {{ before it, near ${tag}.`;

const sentences: Readonly<Record<string, (tag: string) => string>> = {
  unclosed_tag: isNotClosed,
  duplicate_open_tag: isNotClosed,
  unopened_tag: isNotOpened,
  duplicate_close_tag: isNotOpened,
};
