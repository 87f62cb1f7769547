export { type HotcellServer, openServer, type ServerOptions } from "./doors/server/open-server.ts";
export type { ServedAgent } from "./doors/server/runs/runs.ts";
