export { type McpHttpOptions, type McpHttpService, serveMcpHttp } from "./doors/mcp/serve-http.ts";
export { type McpStdioOptions, serveMcpStdio } from "./doors/mcp/serve-stdio.ts";
