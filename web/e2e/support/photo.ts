import { readFileSync } from "node:fs";
import { join } from "node:path";

const media = join(import.meta.dirname, "../../../core/src/seed/media");

/** A landscape photo from the sample pictures. */
export const photo = (name: string) => readFileSync(join(media, `${name}.jpg`));

/** The same photo as a phone held upright saves it: rotated, with the location in its metadata. */
export function fromTelephone(jpeg: Buffer): Buffer {
  const entry = (tag: number, type: number, count: number, value: number) => {
    const field = Buffer.alloc(12);
    field.writeUInt16LE(tag, 0);
    field.writeUInt16LE(type, 2);
    field.writeUInt32LE(count, 4);
    field.writeUInt32LE(value, 8);
    return field;
  };
  const list = (...entries: Buffer[]) => {
    const head = Buffer.alloc(2);
    head.writeUInt16LE(entries.length, 0);
    return Buffer.concat([head, ...entries, Buffer.alloc(4)]);
  };
  const degrees = (...parts: number[]) => {
    const values = Buffer.alloc(24);
    parts.forEach((part, i) => {
      values.writeUInt32LE(part, 8 * i);
      values.writeUInt32LE(1, 8 * i + 4);
    });
    return values;
  };
  const head = Buffer.from([0x49, 0x49, 0x2a, 0x00, 8, 0, 0, 0]);
  // The lists are at the offsets 8 and 8 + 30 = 38. The two coordinates follow the second list's 54 bytes.
  const picture = list(entry(0x0112, 3, 1, 6), entry(0x8825, 4, 1, 38));
  const place = list(entry(1, 2, 2, 0x4e), entry(2, 5, 3, 92), entry(3, 2, 2, 0x57), entry(4, 5, 3, 116));
  const tiff = Buffer.concat([head, picture, place, degrees(41, 42, 13), degrees(74, 38, 59)]);
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 0]), Buffer.from("Exif\0\0", "latin1"), tiff]);
  segment.writeUInt16BE(segment.length - 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}
