/** The image formats that models accept. */
export type ImageMime = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

const FORMATS: readonly (readonly [RegExp, ImageMime])[] = [
  [/^89504e470d0a1a0a/, "image/png"],
  [/^ffd8ff/, "image/jpeg"],
  [/^474946383[79]61/, "image/gif"],
  [/^52494646.{8}57454250/, "image/webp"],
];

/** Null if the first bytes are not those of an image. */
export function imageMime(head: Buffer): ImageMime | null {
  const hex = head.toString("hex", 0, 16);
  return FORMATS.find(([beginning]) => beginning.test(hex))?.[1] ?? null;
}
