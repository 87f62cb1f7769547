// Messages on a byte stream, each preceded by its length.
import { deserialize, serialize } from "node:v8";

const HEAD_BYTES = 4;

/** Write these one after the other. */
export function frameOf(message: unknown): [head: Buffer, body: Buffer] {
  const body = serialize(message);
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32LE(body.length);
  return [head, body];
}

/** Takes the bytes in arbitrary chunks, which must not change later. Calls `onMessage` for each complete message. */
export function createFrameReader(onMessage: (message: unknown) => void): (bytes: Buffer) => void {
  let pieces: Buffer[] = [];
  let length = 0;
  let wanted = HEAD_BYTES;

  const join = (): Buffer => {
    const all = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    pieces = [all];
    return all;
  };

  return (bytes) => {
    pieces.push(bytes);
    length += bytes.length;
    while (length >= wanted) {
      const all = join();
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
