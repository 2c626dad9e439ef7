/** NetrShareEnum over the pipe srvsvc: bind_ack, or one response with all shares. */
export function pipeReply(
  input: Buffer,
  shares: readonly { name: string; type: number; comment: string }[],
): Buffer {
  if (input[2] === 11) {
    const body = Buffer.alloc(40 + 4);
    body.writeUInt16LE(4280, 0);
    body.writeUInt16LE(4280, 2);
    body.writeUInt32LE(0x53f0, 4);
    const address = Buffer.from('\\PIPE\\srvsvc\0', 'latin1');
    const head = Buffer.concat([body.subarray(0, 8), Buffer.from([address.length, 0]), address]);
    const pad = Buffer.alloc((4 - ((16 + head.length) % 4)) % 4);
    const result = Buffer.concat([
      Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.from('045d888aeb1cc9119fe808002b10486002000000', 'hex'),
    ]);
    return packet(12, input, Buffer.concat([head, pad, result]));
  }
  const words: Buffer[] = [];
  const number = (value: number) => {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(value >>> 0);
    words.push(word);
  };
  const text = (value: string) => {
    const characters = Buffer.from(`${value}\0`, 'utf16le');
    for (const each of [value.length + 1, 0, value.length + 1]) number(each);
    words.push(Buffer.concat([characters, Buffer.alloc(-characters.length & 3)]));
  };
  for (const each of [1, 1, 0x20004, shares.length, 0x20008, shares.length]) number(each);
  for (const [index, { type }] of shares.entries())
    for (const each of [0x20010 + index * 8, type, 0x20014 + index * 8]) number(each);
  for (const { name, comment } of shares) {
    text(name);
    text(comment);
  }
  for (const each of [shares.length, 0, 0]) number(each);
  const results = Buffer.concat(words);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(results.length);
  return packet(2, input, Buffer.concat([head, results]));
}

function packet(type: number, request: Buffer, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header[0] = 5;
  header[2] = type;
  header[3] = 3;
  header[4] = 0x10;
  header.writeUInt16LE(16 + body.length, 8);
  request.copy(header, 12, 12, 16);
  return Buffer.concat([header, body]);
}
