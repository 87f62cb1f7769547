import path from "node:path";
import { installOnce } from "./install-once.js";

const RUNTIME = "0.0.83";

/** The program and the module to run it with. */
export function installSandboxRuntime() {
  const { dir, node } = installOnce("sandbox-runtime", [`@anthropic-ai/sandbox-runtime@${RUNTIME}`]);
  return { node, module: path.join(dir, "node_modules/@anthropic-ai/sandbox-runtime/dist/index.js") };
}
