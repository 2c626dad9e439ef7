import { command } from '../support/scripted-server/responses.ts';
import { NtError, status } from '../support/scripted-server/status.ts';

const mostCredits = 8_192;
const bytesPerCredit = 65_536;

/** The message ids that a connection may use (MS-SMB2 3.3.1.1, 3.3.1.2, and 3.3.5.2.3). */
export class Credits {
  /** The first id that was never granted. */
  #end = 1n;
  readonly #unused = new Set<bigint>([0n]);

  /**
   * Uses the ids of a request and returns the number of credits that its response grants.
   *
   * @throws Error if an id was not granted or is used twice, on which the connection ends
   */
  take(request: Buffer): number {
    const id = request.readBigUInt64LE(24);
    const charge = Math.max(1, request.readUInt16LE(6));
    for (let next = id; next < id + BigInt(charge); next += 1n)
      if (!this.#unused.delete(next))
        throw new Error(`the client used the message id ${next} without a credit`);
    const granted = Math.max(
      this.#unused.size === 0 ? 1 : 0,
      Math.min(Math.max(1, request.readUInt16LE(14)), mostCredits - this.#unused.size),
    );
    for (const first = this.#end; this.#end < first + BigInt(granted); this.#end += 1n)
      this.#unused.add(this.#end);
    return granted;
  }
}

/** MS-SMB2 3.3.5.2.5. @throws NtError if the request pays for less than its bytes */
export function checkCharge(request: Buffer): void {
  const lengthAt = lengthsAt[request.readUInt16LE(12)];
  if (lengthAt === undefined || request.length < lengthAt + 4) return;
  const charge = Math.max(1, request.readUInt16LE(6));
  if (request.readUInt32LE(lengthAt) > charge * bytesPerCredit) throw new NtError(status.invalidParameter);
}

/** Where READ, WRITE, QUERY_DIRECTORY, and QUERY_INFO have the number of their bytes. */
const lengthsAt: Record<number, number> = {
  [command.read]: 68,
  [command.write]: 68,
  [command.queryDirectory]: 92,
  [command.queryInfo]: 68,
};
