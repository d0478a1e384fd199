import { useState } from "react";
import { isApiError } from "../../api/client";
import { explain } from "../../lib/forms";
import { moved } from "../shared/drag-order";
import { ignoreNotFound } from "../shared/missing-records";
import { addImage, orderImages, removeImage, type AdminProduct } from "./queries";

export const maxPictures = 4;
const largest = 10 * 1024 * 1024;
const kinds = ["image/jpeg", "image/png", "image/webp"];
export const accept = kinds.join(",");

/** A picture of the product: already uploaded, or a file that is uploaded when the form is saved. */
export type Picture = {
  key: string;
  src: string | null;
  name: string;
  file?: File;
  percent?: number;
  failure?: string;
};

export type Refusal = { title: string; description: string };

/** Separates files that can be uploaded from the others, with the reason for each of those. */
export function acceptFiles(files: readonly File[], already: number): { taken: File[]; refused: Refusal[] } {
  const taken: File[] = [];
  const refused: Refusal[] = [];
  for (const file of files) {
    if (!kinds.includes(file.type))
      refused.push({
        title: "Invalid file type",
        description: `${file.name} is not a valid image file.${advice(file)}`,
      });
    else if (file.size > largest)
      refused.push({ title: "File too large", description: `${file.name} is larger than 10MB.` });
    else taken.push(file);
  }
  const left = Math.max(0, maxPictures - already);
  if (taken.length > left)
    refused.push({
      title: "Too many images",
      description: `You can only upload up to ${maxPictures} images per product.`,
    });
  return { taken: taken.slice(0, left), refused };
}

/** iPhones save photos in a format that browsers do not show, and computers often do not know its type. */
const advice = ({ name }: File) =>
  /\.hei[cf]$/i.test(name) ? " Please save the photo as JPEG, and choose that file." : "";

const ofProduct = (product: AdminProduct | null): Picture[] =>
  (product?.images ?? []).map(({ id, thumb_url, alt_text }) => ({ key: id, src: thumb_url, name: alt_text }));

const keys = (pictures: readonly { key: string }[]) => pictures.map(({ key }) => key).join();

let picked = 0;

/** Thrown when some pictures could not be saved. The reason is beside each one. */
export class PicturesFailed extends Error {}

/** The pictures of a product while its form is open. Nothing is sent or removed before the form is saved. */
export function usePictures(opened: AdminProduct | null) {
  const [pictures, setPictures] = useState(() => ofProduct(opened));
  const [base, setBase] = useState(() => ofProduct(opened));
  const change = (key: string, part: Partial<Picture>) =>
    setPictures((all) => all.map((one) => (one.key === key ? { ...one, ...part } : one)));

  /** Uploads new pictures, deletes removed ones and saves the order. */
  async function save(product: AdminProduct, onSaved: (product: AdminProduct) => void) {
    let ordered = pictures.map(({ key }) => key);
    let now = product;
    let failed = 0;
    const saved = (next: AdminProduct) => {
      now = next;
      setBase(ofProduct(next));
      onSaved(next);
    };
    const gone = base.filter(({ key }) => !ordered.includes(key));
    for (const { key } of gone) await ignoreNotFound(removeImage(product.id, key));
    if (gone.length > 0) saved({ ...now, images: now.images.filter(({ id }) => !gone.some(({ key }) => key === id)) });

    for (const { key, file } of pictures) {
      if (!file) continue;
      try {
        change(key, { percent: 0, failure: undefined });
        const known = now.images.map(({ id }) => id);
        const next = await addImage(product.id, file, (percent) => change(key, { percent }));
        const made = next.images.findLast(({ id }) => !known.includes(id));
        if (made) {
          ordered = ordered.map((one) => (one === key ? made.id : one));
          setPictures((all) =>
            all.map((one) =>
              one.key === key ? { key: made.id, src: one.src ?? made.thumb_url, name: made.alt_text } : one,
            ),
          );
        }
        saved(next);
      } catch (error) {
        failed += 1;
        change(key, { percent: undefined, failure: explain(error) });
        // After an invalid picture the next one is still tried, but not after a server that cannot be reached.
        if (!isApiError(error) || ![409, 413, 415, 422].includes(error.status)) break;
      }
    }
    const wanted = ordered.filter((key) => now.images.some(({ id }) => id === key));
    if (wanted.join() !== now.images.map(({ id }) => id).join()) saved(await orderImages(product.id, wanted));
    if (failed > 0) throw new PicturesFailed();
    return now;
  }

  return {
    pictures,
    dirty: keys(pictures) !== keys(base),
    async add(files: readonly File[]) {
      const fresh = await Promise.all(
        files.map(async (file) => ({ key: `new ${++picked}`, src: await preview(file), name: file.name, file })),
      );
      setPictures((all) => [...all, ...fresh]);
    },
    remove: (key: string) => setPictures((all) => all.filter((one) => one.key !== key)),
    move: (from: number, to: number) =>
      setPictures((all) => (to < 0 || to >= all.length || from === to ? all : moved(all, from, to))),
    /** Merges pictures after somebody else changed the product. This user's changes win. */
    merge(fresh: AdminProduct) {
      const theirs = ofProduct(fresh);
      const known = new Set(base.map(({ key }) => key));
      const has = (key: string) => theirs.some((one) => one.key === key);
      setPictures((mine) => [
        ...mine.filter(({ key, file }) => file || has(key)),
        ...theirs.filter(({ key }) => !known.has(key)),
      ]);
      setBase(theirs);
    },
    save,
  };
}

/** A small upright preview as a data URL, the only kind of local picture that the content security policy allows. */
async function preview(file: File): Promise<string | null> {
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, 480 / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const paint = canvas.getContext("2d");
    if (!paint) return null;
    paint.fillStyle = "#fff";
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return canvas.toDataURL("image/jpeg", 0.8);
  } catch {
    // The server decides whether the file is a picture.
    return null;
  }
}
