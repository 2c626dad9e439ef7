import { z } from 'zod';
import { ServiceError, type Fault } from '../../base/service-error.ts';
import { reason, type FaultCode, type Reason } from '../../contract/faults.ts';
import {
  conflictBehavior,
  conflictBehaviors,
  type ConflictBehavior,
} from '../../document-library/conflict-behavior.ts';
import { folderName, subfolders, type Subfolder } from '../../contract/subfolders.ts';

/** The fields of an upload form; {@link FormFields} collects their values. */
export const uploadForm = z
  .object({
    folderName: folderName.meta({
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

export const maxFieldBytes = 1024;
const knownFields: Partial<Record<string, readonly [FaultCode, readonly string[]]>> = {
  folderName: ['unknown_folder', subfolders],
  conflictBehavior: ['unknown_value', conflictBehaviors],
};

/**
 * The fields of one form, in any order. If the file begins after `folderName`, it is sent with the values known by then,
 * and a later `conflictBehavior` must not differ.
 */
export class FormFields {
  readonly #default: ConflictBehavior;
  readonly #values = new Map<string, string>();
  readonly #faults: Fault[] = [];
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
    const known = info.nameTruncated ? undefined : knownFields[name];
    if (!known) return this.fault(path, reason('unknown_field'));
    if (this.#values.has(name)) return this.fault(path, reason('repeated'));
    // With umlauts in any Unicode form.
    const given = value.normalize('NFC');
    this.#values.set(name, given);
    if (info.valueTruncated) return this.fault(path, reason('too_many_bytes', { max: maxFieldBytes }));
    const [code, allowed] = known;
    if (!allowed.includes(given)) {
      this.fault(path, reason(code, { allowed: allowed.join(', ') }));
    } else if (name === 'conflictBehavior' && this.#isSettled && given !== this.#default) {
      this.fault(path, reason('after_file', { default: this.#default }));
    }
  }

  fileBegins(): void {
    this.#hasFile = true;
    this.#isSettled = this.#values.has('folderName');
  }

  fault(path: string, why: Reason): void {
    this.#faults.push({ path, ...why });
  }

  /** Marks the end of the form. */
  end(): void {
    if (!this.#hasFile) this.fault('body.file', reason('required'));
    if (!this.#values.has('folderName')) this.fault('body.folderName', reason('required'));
  }

  /** The error with the faults found so far; undefined if there are none. */
  get rejection(): ServiceError | undefined {
    if (this.#faults.length === 0) return undefined;
    const isFolder = this.#faults.every(({ code }) => code === 'unknown_folder');
    return new ServiceError(isFolder ? 'unknown_folder' : 'invalid_request', {
      detail: this.#faults.map(({ path, message }) => `${path.replace(/^body\./, '')} ${message}`).join('; '),
      errors: this.#faults,
    });
  }

  /** @throws ServiceError {@link rejection}; Error before the fields are settled */
  get(): UploadFields {
    if (this.rejection) throw this.rejection;
    const folderName = subfolders.find((name) => name === this.#values.get('folderName'));
    if (!folderName) throw new Error('the fields were read before they were settled');
    return {
      folderName,
      conflictBehavior:
        (this.#values.get('conflictBehavior') as ConflictBehavior | undefined) ?? this.#default,
    };
  }
}
