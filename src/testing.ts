// Contract suites, for authors of other implementations of hotcell's interfaces.
/// <reference types="node" preserve="true" />
export type { TestApi } from "./testing/suite.ts";
export { type WorkspaceUnderTest, workspaceContract } from "./testing/workspace-contract.ts";
