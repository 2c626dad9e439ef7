import type { ContentStore } from '../content/content-store.ts';
import type { Drive, Drives } from './drives.ts';
import type { Item } from './item.ts';
import type { GraphRequest, TokenHolder } from '../base/exchange.ts';
import { driveItem, type ItemView } from './drive-item.ts';
import type { FaultSwitches } from '../base/faults.ts';
import type { DriveSettings } from '../base/settings.ts';
import type { SignedText } from '../base/signed-text.ts';
import type { ThrottleBudget } from '../base/throttle-budget.ts';
import type { UploadSessions } from './upload-sessions.ts';
import { isVisibleTo } from './visibility.ts';
import type { Draft } from './messages.ts';
import type { Profile } from './profile.ts';

/** The state of one emulator; rules and routes are functions of it. */
export interface Emulator {
  readonly siteId: string;
  /** Milliseconds since 1970, including the admin clock's offset. */
  readonly now: () => number;
  settings: DriveSettings;
  readonly faults: FaultSwitches;
  readonly drives: Drives;
  readonly contents: ContentStore;
  readonly sessions: UploadSessions;
  readonly signed: SignedText;
  readonly budget: ThrottleBudget;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Drafts in the mailboxes of all users, the oldest first. */
  readonly drafts: Draft[];
  /** Origin of upload and download URLs, different from Graph's. */
  readonly contentOrigin: string;
  /** Called after every change that must be persisted. */
  readonly changed: () => void;
}

/** The JSON of an item for this request. */
export function itemJson(emulator: Emulator, request: ViewedBy, drive: Drive, item: Item) {
  return driveItem(item, itemView(emulator, request, drive));
}

type ViewedBy = Pick<GraphRequest, 'annotation'> & { readonly caller?: TokenHolder };

function itemView(emulator: Emulator, { annotation, caller }: ViewedBy, drive: Drive): ItemView {
  const { siteId, contentOrigin, settings } = emulator;
  return {
    drive,
    siteId,
    contentOrigin,
    annotation,
    downloadUrl: (of, item) => downloadUrl(emulator, of, item),
    childCount: ({ tree }, folder) =>
      settings.childCount === 'stored' || !caller
        ? tree.childCount(folder)
        : tree.children(folder).filter((child) => isVisibleTo(caller.id, child)).length,
  };
}

/** A9: pre-authenticated and short-lived; the token contains drive, item, and expiry, in the captured form. */
export function downloadUrl(
  { settings, signed, contentOrigin, now }: Emulator,
  drive: Drive,
  item: Item,
  version?: number,
): string {
  const token = signed.write('download', {
    drive: drive.id,
    item: item.id,
    ...(version !== undefined && { version: String(version) }),
    // Captured: whole seconds, as a string.
    exp: String(Math.floor(now() / 1000) + settings.downloadUrlLifetimeSeconds),
  });
  const site = drive.webPath.split('/').slice(0, 3).join('/');
  return `${contentOrigin}${site}/_layouts/15/download.aspx?UniqueId=${item.guid.toLowerCase()}&Translate=false&tempauth=${token}&ApiVersion=2.0`;
}

/** A9: the converted file has a host and path of its own, and a token like that of a download. */
export function pdfUrl(emulator: Emulator, drive: Drive, item: Item): string {
  const { searchParams } = new URL(downloadUrl(emulator, drive, item));
  const extension = item.name.split('.').at(-1);
  return `${emulator.contentOrigin}/transform/pdf?provider=spo&inputFormat=${extension}&tempauth=${searchParams.get('tempauth')}`;
}
