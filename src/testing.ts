// Contract suites, for whoever writes another part that must behave like hotcell's own.
/// <reference types="node" preserve="true" />
export type { TestWords } from "./testing/suite.ts";
export { type WorkspaceUnderTest, workspaceContract } from "./testing/workspace-contract.ts";
