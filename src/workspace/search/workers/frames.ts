// Messages on a stream of bytes: each with its length before it.
import { deserialize, serialize } from "node:v8";

const HEAD_BYTES = 4;

/** To be written one behind the other. */
export function frameOf(message: unknown): [head: Buffer, body: Buffer] {
  const body = serialize(message);
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32LE(body.length);
  return [head, body];
}

/** To be given the bytes as they come, in pieces that stay as they are; tells each message that is whole. */
export function createFrameReader(onMessage: (message: unknown) => void): (bytes: Buffer) => void {
  let pieces: Buffer[] = [];
  let length = 0;
  let wanted = HEAD_BYTES;

  const joined = (): Buffer => {
    const all = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    pieces = [all];
    return all;
  };

  return (bytes) => {
    pieces.push(bytes);
    length += bytes.length;
    while (length >= wanted) {
      const all = joined();
      const end = HEAD_BYTES + all.readUInt32LE();
      wanted = end;
      if (length < end) continue;
      pieces = [all.subarray(end)];
      length -= end;
      wanted = HEAD_BYTES;
      onMessage(deserialize(all.subarray(HEAD_BYTES, end)));
    }
  };
}
