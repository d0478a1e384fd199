import { number } from "../../../lib/format";
import type { Upload } from "./queries";

const units = ["bytes", "KB", "MB", "GB", "TB"];

/** "388 MB", "1.2 GB". */
export function fileSize(bytes: number) {
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  const shown = power > 0 && value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value);
  return `${number(shown)} ${units[power]}`;
}

/** "214 of 388 MB", in the unit of the total. */
export function sentOf(sent: number, size: number) {
  const [whole, unit] = fileSize(size).split(" ");
  const factor = 1_000 ** units.indexOf(unit!);
  const part = sent / factor;
  return `${number(part < 9.95 && unit !== "bytes" ? Math.floor(part * 10) / 10 : Math.floor(part))} of ${whole} ${unit}`;
}

/** "about 4 minutes left". */
export function timeLeft(seconds: number) {
  if (seconds < 10) return "a few seconds left";
  if (seconds < 55) return `about ${Math.ceil(seconds / 10) * 10} seconds left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `about ${minutes <= 1 ? "a minute" : `${minutes} minutes`} left`;
  return `about ${Math.round(minutes / 60)} hours left`;
}

export const percentOf = (sent: number, size: number) => (size > 0 ? Math.floor((sent / size) * 100) : 0);

/** The sizes that families can choose: "1080p, 720p, 480p". */
export const ladder = (renditions: Upload["renditions"]) =>
  renditions
    .map(({ height, width }) => Math.min(height, width))
    .toSorted((a, b) => b - a)
    .map((lines) => `${lines}p`)
    .join(", ");
