import { statfsSync } from 'node:fs';
import { body } from '../support/scripted-server/responses.ts';
import { NtError, status } from '../support/scripted-server/status.ts';
import { type Facts, type Open, type Share } from './files.ts';

// Facts about files, directories, and file systems as responses carry them (MS-SMB2 2.2, MS-FSCC 2.4 and 2.5).

export const pipeFacts: Facts = {
  isDirectory: false,
  size: 0n,
  allocated: 4096n,
  attributes: 0x80,
  created: 0n,
  accessed: 0n,
  written: 0n,
  changed: 0n,
  id: 0n,
  links: 1,
};

function writeTimes(m: Buffer, at: number, { created, accessed, written, changed }: Facts): void {
  for (const [index, time] of [created, accessed, written, changed].entries())
    m.writeBigUInt64LE(time, at + index * 8);
}

export const createBody = (facts: Facts, action: number, fileId: Buffer) =>
  body(88, 89, (m) => {
    m.writeUInt32LE(action, 68);
    writeTimes(m, 72, facts);
    m.writeBigUInt64LE(facts.allocated, 104);
    m.writeBigUInt64LE(facts.size, 112);
    m.writeUInt32LE(facts.attributes, 120);
    fileId.copy(m, 128);
  });

export const closeBody = (facts: Facts | undefined) =>
  body(60, 60, (m) => {
    if (facts === undefined) return;
    m.writeUInt16LE(1, 66);
    writeTimes(m, 72, facts);
    m.writeBigUInt64LE(facts.allocated, 104);
    m.writeBigUInt64LE(facts.size, 112);
    m.writeUInt32LE(facts.attributes, 120);
  });

/** Where the name is in an entry of each class of QUERY_DIRECTORY (MS-FSCC 2.4). */
const nameAtOf: Record<number, number> = { 1: 64, 2: 68, 3: 94, 12: 12, 37: 104, 38: 80 };

export function directoryData(
  entries: NonNullable<Open['listing']>,
  infoClass: number,
  room: number,
  single: boolean,
) {
  const nameAt = nameAtOf[infoClass];
  if (nameAt === undefined) throw new NtError(status.invalidInfoClass);
  const data = Buffer.alloc(
    Math.min(
      room,
      entries.reduce((sum, { name }) => sum + nameAt + name.length * 2 + 8, 0),
    ),
  );
  let at = 0;
  let previous = -1;
  let count = 0;
  for (const { name, facts } of entries) {
    const end = at + nameAt + name.length * 2;
    if (end > data.length) break;
    if (previous >= 0) data.writeUInt32LE(at - previous, previous);
    if (infoClass !== 12) {
      writeTimes(data, at + 8, facts);
      data.writeBigUInt64LE(facts.size, at + 40);
      data.writeBigUInt64LE(facts.allocated, at + 48);
      data.writeUInt32LE(facts.attributes, at + 56);
    }
    data.writeUInt32LE(name.length * 2, at + (infoClass === 12 ? 8 : 60));
    if (infoClass === 37) data.writeBigUInt64LE(facts.id, at + 96);
    if (infoClass === 38) data.writeBigUInt64LE(facts.id, at + 72);
    data.write(name, at + nameAt, 'utf16le');
    previous = at;
    count += 1;
    at = (end + 7) & ~7;
    if (single) break;
  }
  const last = count === 0 ? 0 : previous + nameAt + entries[count - 1]!.name.length * 2;
  return { data: data.subarray(0, last), count };
}

export function fileData(infoClass: number, facts: Facts, open: Open): Buffer | undefined {
  const basic = Buffer.alloc(40);
  writeTimes(basic, 0, facts);
  basic.writeUInt32LE(facts.attributes, 32);
  const standard = Buffer.alloc(24);
  standard.writeBigUInt64LE(facts.allocated, 0);
  standard.writeBigUInt64LE(facts.size, 8);
  standard.writeUInt32LE(facts.links, 16);
  standard[21] = facts.isDirectory ? 1 : 0;
  const internal = Buffer.alloc(8);
  internal.writeBigUInt64LE(facts.id);
  const four = (value = 0) => {
    const data = Buffer.alloc(4);
    data.writeUInt32LE(value);
    return data;
  };
  const text = (value: string) => Buffer.concat([four(value.length * 2), Buffer.from(value, 'utf16le')]);
  switch (infoClass) {
    case 4:
      return basic;
    case 5:
      return standard;
    case 6:
      return internal;
    case 7:
    case 16:
    case 17:
      return four();
    case 8:
      return four(open.access);
    case 14:
      return Buffer.alloc(8);
    case 18: {
      const name = '\\' + open.path.slice(open.share.root.length + 1);
      return Buffer.concat([
        basic,
        standard,
        internal,
        four(),
        four(open.access),
        Buffer.alloc(8),
        four(),
        four(),
        text(name),
      ]);
    }
    case 22: {
      if (facts.isDirectory) return Buffer.alloc(0);
      const sizes = Buffer.alloc(24);
      sizes.writeUInt32LE(14, 4);
      sizes.writeBigUInt64LE(facts.size, 8);
      sizes.writeBigUInt64LE(facts.allocated, 16);
      return Buffer.concat([sizes, Buffer.from('::$DATA', 'utf16le')]);
    }
    case 34: {
      const network = Buffer.alloc(56);
      writeTimes(network, 0, facts);
      network.writeBigUInt64LE(facts.allocated, 32);
      network.writeBigUInt64LE(facts.size, 40);
      network.writeUInt32LE(facts.attributes, 48);
      return network;
    }
    default:
      return undefined;
  }
}

export function fileSystemData(infoClass: number, share: Share): Buffer | undefined {
  switch (infoClass) {
    case 1: {
      const label = Buffer.from(share.name, 'utf16le');
      const data = Buffer.alloc(18 + label.length);
      data.writeUInt32LE(label.length, 12);
      label.copy(data, 18);
      return data;
    }
    case 3:
    case 7: {
      const { bsize, blocks, bfree, bavail } = statfsSync(share.root, { bigint: true });
      const data = Buffer.alloc(infoClass === 7 ? 32 : 24);
      data.writeBigUInt64LE(blocks, 0);
      data.writeBigUInt64LE(bavail, 8);
      if (infoClass === 7) data.writeBigUInt64LE(bfree, 16);
      const unit = Number(bsize);
      const sector = unit % 512 === 0 ? 512 : 1;
      data.writeUInt32LE(unit / sector, data.length - 8);
      data.writeUInt32LE(sector, data.length - 4);
      return data;
    }
    case 4: {
      const data = Buffer.alloc(8);
      data.writeUInt32LE(7, 0);
      return data;
    }
    case 5: {
      const name = Buffer.from('NTFS', 'utf16le');
      const data = Buffer.alloc(12 + name.length);
      // Case preserved, Unicode.
      data.writeUInt32LE(0x6, 0);
      data.writeUInt32LE(255, 4);
      data.writeUInt32LE(name.length, 8);
      name.copy(data, 12);
      return data;
    }
    default:
      return undefined;
  }
}
