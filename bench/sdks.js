// The SDKs of the providers, Vercel's AI SDK, and a mock server that others wrote. The newest of them need Node 22.
import { installOnce } from "./install-once.js";

const PACKAGES = [
  "@ai-sdk/anthropic@4.0.102",
  "@ai-sdk/openai@4.0.115",
  "@ai-sdk/openai-compatible@3.0.90",
  "@anthropic-ai/sdk@1.9.0",
  "@copilotkit/aimock@1.43.0",
  "ai@7.0.170",
  "ollama@0.6.4",
  "openai@7.55.0",
];

/** The directory to import them from, and the program to run them with. */
export function installSdks() {
  return installOnce("sdks", PACKAGES);
}
