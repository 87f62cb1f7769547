import type { ApprovalRequest, Approve } from "../../approval/approve.ts";
import { inertJson } from "../../core/inert-json.ts";
import { makeVisible } from "../../core/quote.ts";
import { isAgreed } from "./ask.ts";
import type { Io } from "./io.ts";

/** Without a terminal an ask is a denial that says what would allow it. */
export const denyUnasked: Approve = (request) => ({
  approved: false,
  reason: `there is no terminal to ask in. To allow it, add --rule '${ruleFor(request)}' or use --trust autonomous`,
});

export function askInTerminal(io: Io): Approve {
  return async (request, signal) => {
    io.err(`${describe(request)}\n`);
    return { approved: await isAgreed(io, "Run it?", signal), digest: request.digest };
  };
}

/** What decides stands last, right above the question: nothing that a model wrote can push it away. */
function describe({ tool, arguments: args, paths, verdict, digest }: ApprovalRequest): string {
  return [
    `${makeVisible(tool)} asks for approval. ${makeVisible(verdict.reason)}`,
    inertJson(args, 2).split("\n").map(cutLine).slice(0, MAX_LINES).join("\n"),
    `arguments sha256 ${digest.slice(0, 16)}`,
    `>>> ${makeVisible([tool, ...paths].join(" "))}`,
  ].join("\n");
}

const MAX_LINES = 12;
const MAX_COLUMNS = 200;

function cutLine(line: string): string {
  return line.length <= MAX_COLUMNS ? line : `${line.slice(0, MAX_COLUMNS)}… (${line.length} characters)`;
}

/** Not every argument that is called path is one: rules about a tool without paths have no pattern. */
function ruleFor({ tool, arguments: { path }, paths }: ApprovalRequest): string {
  const plain =
    paths.length > 0 &&
    typeof path === "string" &&
    /^[\w./@+ -]+$/.test(path) &&
    !path.split("/").includes("..") &&
    !path.startsWith("/");
  return plain ? `allow ${tool}(${path})` : `allow ${tool}`;
}
