// Counts, sizes and ages as people read and write them.
import { quote } from "../../core/quote.ts";
import { usage } from "./io.ts";

export function formatCount(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;
const STEP = 1024;

export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP)));
  const value = bytes / STEP ** power;
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}

/** `5G`, `1.5 GB`, `200m`, `1048576`. */
export function parseBytes(given: string, flag: string): number {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?) ?([kmgt]?)b?$/i.exec(given) ?? [];
  if (number === undefined) throw usage(`${flag} is ${quote(given)}; give a size such as 500M or 5G.`);
  return Math.floor(Number(number) * STEP ** ["", "k", "m", "g", "t"].indexOf(unit.toLowerCase()));
}

const AGES = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

export function formatAge(since: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(since));
  const [unit, length] = AGES.find(([, least]) => ms >= least) ?? AGES[3];
  return `${Math.floor(ms / length)} ${unit}`;
}
