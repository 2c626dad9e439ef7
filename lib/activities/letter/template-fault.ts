/** A fault that the owner of a template has to correct: `path` is the part of the file, `message` a full sentence. */
export interface TemplateFault {
  readonly path: string;
  readonly message: string;
}
