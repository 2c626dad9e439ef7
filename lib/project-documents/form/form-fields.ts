import { z } from 'zod';
import { ServiceError, type Fault, type ProblemCode } from '../../base/service-error.ts';
import { conflictBehavior, type ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import { subfolders, subfolderNamed, type Subfolder } from '../folders/subfolders.ts';

/** The fields of an upload form; {@link FormFields} collects their values. */
export const uploadForm = z
  .object({
    folderName: z.enum(subfolders, `expected one of ${subfolders.join(', ')}`).meta({
      description: 'Send it before the file: then the file streams into the library as it arrives',
    }),
    conflictBehavior: conflictBehavior.optional().meta({
      description: 'Default: the setting of the service. Send it before the file',
    }),
    file: z.string().meta({ format: 'binary', description: 'Send it last' }),
  })
  .meta({ id: 'UploadForm' });

export interface UploadFields {
  readonly folderName: Subfolder;
  readonly conflictBehavior: ConflictBehavior;
}

const knownFields = 'expected folderName, conflictBehavior and the file part file';
export const maxFieldBytes = 1024;

type FormFault = Fault & { readonly code: ProblemCode };

/**
 * The fields of one form, in any order. If the file begins after `folderName`, it is sent with the values known by then,
 * and a later `conflictBehavior` must not differ.
 */
export class FormFields {
  readonly #default: ConflictBehavior;
  readonly #values = new Map<string, string>();
  readonly #faults: FormFault[] = [];
  #hasFile = false;
  #isSettled = false;

  /** @param defaultBehavior applies if the form has no conflictBehavior */
  constructor(defaultBehavior: ConflictBehavior) {
    this.#default = defaultBehavior;
  }

  /** Whether no later field can change how the file is stored. */
  get areSettled(): boolean {
    return this.#isSettled;
  }

  add(name: string, value: string, info: { nameTruncated: boolean; valueTruncated: boolean }): void {
    const path = `body.${name}`;
    if (info.nameTruncated)
      return this.fault('body', `has a field with an unknown, long name: ${knownFields}`);
    if (name !== 'folderName' && name !== 'conflictBehavior')
      return this.fault(path, `is not a known field: ${knownFields}`);
    if (this.#values.has(name)) return this.fault(path, 'is given more than once');
    // With umlauts in any Unicode form.
    const given = value.normalize('NFC');
    this.#values.set(name, given);
    if (info.valueTruncated) return this.fault(path, `must not be longer than ${maxFieldBytes} bytes`);
    const { success, error } = uploadForm.shape[name].safeParse(given);
    if (!success) {
      const code = name === 'folderName' ? 'unknown_folder' : 'invalid_request';
      this.fault(path, error.issues[0]?.message ?? 'is not valid', code);
    } else if (name === 'conflictBehavior' && this.#isSettled && given !== this.#default) {
      this.fault(path, `must be sent before the file if it is not the default, ${this.#default}`);
    }
  }

  fileBegins(): void {
    this.#hasFile = true;
    this.#isSettled = this.#values.has('folderName');
  }

  fault(path: string, message: string, code: ProblemCode = 'invalid_request'): void {
    this.#faults.push({ path, message, code });
  }

  /** Marks the end of the form. */
  end(): void {
    if (!this.#hasFile) this.fault('body.file', 'is missing: expected one file part named file');
    if (!this.#values.has('folderName'))
      this.fault('body.folderName', `is missing: expected one of ${subfolders.join(', ')}`);
  }

  /** The error with the faults found so far; undefined if there are none. */
  get rejection(): ServiceError | undefined {
    if (this.#faults.length === 0) return undefined;
    const codes = new Set(this.#faults.map(({ code }) => code));
    const [code = 'invalid_request'] = codes.size === 1 ? codes : [];
    return new ServiceError(code, {
      detail: this.#faults.map(({ path, message }) => `${path.replace(/^body\./, '')} ${message}`).join('; '),
      errors: this.#faults.map(({ path, message }) => ({ path, message })),
    });
  }

  /** @throws ServiceError {@link rejection}; Error before the fields are settled */
  get(): UploadFields {
    if (this.rejection) throw this.rejection;
    const folderName = subfolderNamed(this.#values.get('folderName') ?? '');
    if (!folderName) throw new Error('the fields were read before they were settled');
    return {
      folderName,
      conflictBehavior:
        (this.#values.get('conflictBehavior') as ConflictBehavior | undefined) ?? this.#default,
    };
  }
}
