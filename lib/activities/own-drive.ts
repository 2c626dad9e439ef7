import { explainRejection, type Rejection } from './explained-rejection.ts';

const ownDrive = "The signed-in user's OneDrive, which receives the letter,";

/** What the user's own OneDrive sends: the library of the projects is another one, with other administrators. */
const rejections: readonly Rejection[] = [
  // microsoftgraph/msgraph-sdk-go#394, OneDrive/onedrive-api-docs#1266
  {
    statuses: [400],
    says: /\bSPO license\b/i,
    problem: 'library_error',
    detail:
      'The tenant, or the signed-in user, has no license for OneDrive and SharePoint, and the letter is stored in the OneDrive: an administrator of Microsoft 365 assigns one.',
  },
  {
    codes: ['quotaLimitReached'],
    problem: 'library_full',
    detail: "The quota of the signed-in user's OneDrive, which receives the letter, is used up.",
  },
  {
    statuses: [507],
    problem: 'library_full',
    detail: "The quota of the signed-in user's OneDrive, which receives the letter, is used up.",
  },
  // Graph creates a OneDrive at the first call of a user with a license, but not in every tenant.
  {
    // 400: "Unable to retrieve user's mysite URL." (microsoftgraph/microsoft-graph-docs#1354)
    statuses: [400, 404],
    says: /\bmysite\b|\bpersonal site\b/i,
    problem: 'library_error',
    detail: `${ownDrive} is not yet set up: open OneDrive once in the browser.`,
  },
  {
    statuses: [404],
    problem: 'library_error',
    detail:
      'The signed-in user has no OneDrive, which receives the letter: the user needs a license for it, or, with a license, has to open OneDrive once in the browser.',
  },
  {
    statuses: [403],
    problem: 'library_access_denied',
    detail: `${ownDrive} denied access: consent for Files.ReadWrite is missing, or a policy of the tenant restricts OneDrive.`,
  },
  // A file that is new cannot be open in an editor.
  {
    statuses: [423],
    problem: 'library_error',
    detail: `${ownDrive} is locked or read-only, for instance because a license has ended: an administrator of Microsoft 365 can unlock it.`,
  },
  {
    codes: [
      'invalidPath',
      'nameContainsInvalidCharacters',
      'pathIsTooLong',
      'pathTooDeep',
      'parameterIsTooLong',
    ],
    problem: 'library_error',
    detail: `${ownDrive} does not accept the name of the letter or of its folder (ACTIVITY_FOLDER).`,
  },
];

/** The error in the terms of the user's own OneDrive. */
export const ofOwnDrive = (error: unknown): unknown => explainRejection(error, rejections, ownDrive);
