import { Command } from './header.ts';

export const fileIdLength = 16;

/** In a compound: the file of the previous message. Elsewhere (IOCTL): no file. */
export const previousFile = Buffer.alloc(fileIdLength, 0xff);

/** Where a request carries the FileId. */
export const fileIdOffsets: Record<number, number> = {
  [Command.close]: 72,
  [Command.flush]: 72,
  [Command.read]: 80,
  [Command.write]: 80,
  [Command.ioctl]: 72,
  [Command.queryDirectory]: 72,
  [Command.queryInfo]: 88,
  [Command.setInfo]: 80,
};
