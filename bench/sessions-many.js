// 100,000 changes in one call, against 10,000: ten times as many should cost ten times as much.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { compareWithAim, formatAim, formatTable, formatTime } from "./measure.js";

const FEW = 10_000;
const MANY = 100_000;
const MAX_GROWTH = 15;
const WORKER = new URL("sessions-many-worker.js", import.meta.url).pathname;

export function measureMany(home) {
  const [few, many] = [FEW, MANY].map((count) => costsOf(home, count));
  const comparisons = Object.entries(many).map(([operation, { cpuUs }]) =>
    compareWithAim(`${operation} of ${MANY} ÷ of ${FEW}, CPU`, cpuUs / few[operation].cpuUs, MAX_GROWTH),
  );
  return { few, many, comparisons };
}

function costsOf(home, count) {
  const dir = fs.mkdtempSync(path.join(home, "many-"));
  try {
    const args = ["--expose-gc", WORKER, dir, String(count)];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

export function formatMany({ few, many, comparisons }) {
  const cells = ({ wallUs, cpuUs, bytes }) => [
    formatTime(wallUs),
    formatTime(cpuUs),
    `${Math.round(bytes / 2 ** 20)} MB`,
  ];
  const rows = Object.keys(many).map((operation) => [
    operation,
    ...cells(few[operation]),
    ...cells(many[operation]),
  ]);
  const header = [FEW, MANY].flatMap((count) => [`${count}: wall`, "CPU", "memory"]);
  return `${formatTable([["changes in one call", ...header], ...rows])}\n${comparisons.map(formatAim).join("\n")}`;
}
