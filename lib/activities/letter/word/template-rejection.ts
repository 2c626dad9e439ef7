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
export const templateRejection = (message: string, options?: ErrorOptions): InvalidTemplateError =>
  new InvalidTemplateError([{ path: 'template', message }], options);
