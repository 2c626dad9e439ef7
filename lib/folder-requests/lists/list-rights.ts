import { ServiceError } from '../../base/service-error.ts';

/** What a caller asks of the list of folder requests, as far as it decides whether it is allowed. */
export interface AskedList {
  readonly requestedBy?: 'me' | undefined;
  readonly projectId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly processedFrom?: string | undefined;
  readonly processedTo?: string | undefined;
  readonly outcome?: string | undefined;
}

interface Right {
  isOf(asked: AskedList, isAdministrator: boolean): boolean;
  /** Whether the list may be narrowed by times and outcome. */
  readonly hasTimes: boolean;
}

/** Who may list what. The first row that is of the list counts; a list without a row is forbidden. */
const rights: readonly Right[] = [
  { isOf: (_, isAdministrator) => isAdministrator, hasTimes: true },
  { isOf: ({ requestedBy }) => requestedBy === 'me', hasTimes: true },
  { isOf: ({ projectId }) => projectId !== undefined, hasTimes: false },
];

const hasTimes = ({ from, to, processedFrom, processedTo, outcome }: AskedList): boolean =>
  [from, to, processedFrom, processedTo, outcome].some((value) => value !== undefined);

/** @throws ServiceError `forbidden` */
export function requireMayList(asked: AskedList, isAdministrator: boolean): void {
  const right = rights.find((each) => each.isOf(asked, isAdministrator));
  if (!right) {
    throw new ServiceError('forbidden', {
      detail:
        'The list of all folder requests requires the app role Administrator; others use requestedBy=me or projectId.',
    });
  }
  if (!right.hasTimes && hasTimes(asked)) {
    throw new ServiceError('forbidden', {
      detail: 'Times and outcome require the app role Administrator or requestedBy=me.',
    });
  }
}
