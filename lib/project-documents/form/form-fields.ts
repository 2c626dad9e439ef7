import * as z from 'zod';
import type { ServiceError, Fault } from '../../base/service-error.ts';
import { reason, type Reason } from '../../contract/faults.ts';
import { conflictBehavior, type ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import { folderName, givenFolderName, type Subfolder } from '../../contract/subfolders.ts';
import { givenFolderPath } from '../folders/folder-path.ts';
import { faultsOf, rejectionOf } from '../../http/request-faults.ts';

/** The fields of an upload form; {@link FormFields} collects their values. */
export const uploadForm = z
  .object({
    folderName,
    folderPath: givenFolderPath.optional(),
    conflictBehavior: conflictBehavior
      .optional()
      .meta({ description: 'Default: the setting of the service' }),
    file: z.string().meta({ format: 'binary', description: 'The bytes of the file, and its name' }),
  })
  .meta({ id: 'UploadForm' });

export interface UploadFields {
  readonly folderName: Subfolder;
  readonly folderPath: string;
  readonly conflictBehavior: ConflictBehavior;
}

export const maxFieldBytes = 1024;
const givenFields = { folderName: givenFolderName, folderPath: givenFolderPath, conflictBehavior };
const isKnown = (name: string): name is keyof typeof givenFields => Object.hasOwn(givenFields, name);

/** The fields of one form, in any order. */
export class FormFields {
  readonly #default: ConflictBehavior;
  readonly #given = new Set<string>();
  #faults: Fault[] = [];
  #values: Partial<UploadFields> = {};
  hasFile = false;

  /** @param defaultBehavior applies if the form has no conflictBehavior */
  constructor(defaultBehavior: ConflictBehavior) {
    this.#default = defaultBehavior;
  }

  add(name: string, value: string, info: { nameTruncated: boolean; valueTruncated: boolean }): void {
    const path = `body.${name}`;
    if (info.nameTruncated || !isKnown(name)) return this.fault(path, reason('unknown_field'));
    if (this.#given.has(name)) return this.fault(path, reason('repeated'));
    this.#given.add(name);
    if (info.valueTruncated) return this.fault(path, reason('too_many_bytes', { max: maxFieldBytes }));
    const { data, error } = givenFields[name].safeParse(value, { reportInput: true });
    if (error) this.#faults = this.#faults.concat(error.issues.flatMap((issue) => faultsOf(path, issue)));
    else this.#values = { ...this.#values, [name]: data };
  }

  fault(path: string, why: Reason): void {
    this.#faults.push({ path, ...why });
  }

  /** The error with the faults found so far; undefined if there are none. */
  get rejection(): ServiceError | undefined {
    return this.#faults.length === 0 ? undefined : rejectionOf(this.#faults);
  }

  /** The values, after the end of the form. @throws ServiceError {@link rejection} */
  complete(): UploadFields {
    if (!this.hasFile) this.fault('body.file', reason('required'));
    if (!this.#given.has('folderName')) this.fault('body.folderName', reason('required'));
    const { folderName, folderPath = '', conflictBehavior = this.#default } = this.#values;
    if (this.rejection || !folderName) throw this.rejection;
    return { folderName, folderPath, conflictBehavior };
  }
}
