// All limits with their defaults. A configurable limit is also a key of the configuration.

export const LIMITS = {
  /** Text of one call's arguments, in bytes of UTF-8. */
  maxCallBytes: 16 * 1024 * 1024,
  /** Nesting of objects and arrays in arguments. */
  maxCallDepth: 64,
  /** Objects, arrays and their members: each wrong one may produce an error message. */
  maxCallEntries: 100_000,
  /** Calls in one batch. */
  maxBatchCalls: 128,
  /** Reads of one batch that run in parallel. */
  maxParallelReads: 8,
  maxCallIdBytes: 256,
  maxToolNameBytes: 128,
  maxPathBytes: 4096,
  maxNameBytes: 255,
  maxLinksFollowed: 40,
  /** A command line that rules can parse: the kernel's limit for one argument. */
  maxCommandBytes: 128 * 1024,
  /** Nesting of its syntax tree. */
  maxCommandDepth: 256,
  maxCommandBraces: 1000,
  /** Simple commands in it, including those that other commands run. */
  maxSimpleCommands: 1000,
  /** All their words. A command that others run counts once for each of them. */
  maxCommandChars: 1024 * 1024,
  /** `read_file` without a range. */
  maxReadBytes: 1024 * 1024,
  /** Above this size a file's sha256 and line count are not computed. */
  maxHashBytes: 256 * 1024 * 1024,
  /** Bytes that are read to distinguish text from binary. */
  binaryProbeBytes: 8 * 1024,
  maxListEntries: 1000,
  /** All .gitignore and .ignore files above a path together, one line of them, and their rules; the excess is ignored. */
  maxIgnoreBytes: 256 * 1024,
  maxIgnoreLineBytes: 4096,
  maxIgnoreRules: 10_000,
  /** Defaults for tools with mount paths; an agent may have other limits. */
  mounts: { maxReadBytes: 50_000, maxWriteBytes: 100_000, maxEntries: 200, maxMatches: 50 },
  /** The maximum of these limits for an agent: a result has to fit in one observation. */
  mostOnMounts: {
    maxReadBytes: 1024 * 1024,
    maxWriteBytes: 8 * 1024 * 1024,
    maxEntries: 10_000,
    maxMatches: 1000,
  },
  /** Text and context of all matches that one `fs.search` shows. */
  maxMatchChars: 1024 * 1024,
  /** Matching with look-around or back-references, over all files: such a pattern may never finish. */
  backtrackingMs: 5000,
  /** How long search workers wait for the next search. */
  searchIdleMs: 5000,
  /** Changed paths in one observation's meta. */
  maxReportedChanges: 100,
  /** git's index, and the names in it. A project with a larger one counts as not tracked. */
  maxGitIndexBytes: 128 * 1024 * 1024,
  /** Commits of the agent that become a branch: one object, all of them together, and the ids in them. */
  maxGitObjectBytes: 64 * 1024 * 1024,
  maxGitBranchBytes: 1024 * 1024 * 1024,
  maxGitBranchIds: 1_000_000,
  /** Trees that are compared with those of a parent, each as at least 4 KiB; and deltas between an object in a pack and its base, as many as git makes. */
  maxGitComparedBytes: 4 * 1024 * 1024 * 1024,
  maxGitDeltas: 4095,
  /** git's file of packed refs, the packs of a repository, and symbolic refs that lead to one another. */
  maxGitPackedRefsBytes: 32 * 1024 * 1024,
  maxGitPacks: 500,
  maxGitSymbolicRefs: 5,
  /** Branches that a session changed; with more, a commit of `.git` counts as one that removes secrets from git. */
  maxGitMovedBranches: 100,
  /** A tracked secret or certificate that commands see, and all of them together; others stay hidden. */
  maxDisclosedFileBytes: 1024 * 1024,
  maxDisclosedBytes: 32 * 1024 * 1024,
  /** Paths of `protect.readonly` that are mounted one by one. */
  maxReadOnlyMounts: 256,
  /** Names of hidden secrets in one observation's meta. */
  maxReportedSecrets: 10,
  /** The size of a directory itself: about 200,000 long names, or a million short ones. */
  maxDirectoryBytes: 32 * 1024 * 1024,
  /** Layers of a session that are mounted one by one. The kernel's limits are 500, and one page for their names. */
  maxLayers: 100,
  /** A larger file is compared, but its lines are not shown. */
  maxDiffFileBytes: 1024 * 1024,
  /** All hunks of one diff; further files are shown without their lines. */
  maxDiffTextChars: 32 * 1024 * 1024,
  /** Work to find the shortest difference of two texts; beyond it the changed part is one replacement. */
  maxDiffSteps: 8_000_000,
  /** A file with its whole content in a patch. */
  maxPatchFileBytes: 64 * 1024 * 1024,
  /** A search pattern, and the nesting of its groups. */
  maxPatternChars: 4096,
  maxPatternDepth: 250,
  /** States of its automaton; counted repeats are expanded. */
  maxPatternStates: 20_000,
  /** States visited for each byte of input, and an extra allowance once: some seconds. */
  maxWorkPerByte: 500,
  maxSpareWork: 300_000_000,
  /** Cache of the lazily built automaton: entries of 4 bytes and of 2 bytes. */
  maxTableEntries: 1024 * 1024,
  maxSetEntries: 4 * 1024 * 1024,
  /** One command; the option `limits` changes them. */
  command: {
    cpuSeconds: 600,
    memoryBytes: 4096 * 1024 * 1024,
    processes: 512,
    fileBytes: 4096 * 1024 * 1024,
    openFiles: 4096,
    diskBytes: 8192 * 1024 * 1024,
    homeBytes: 4096 * 1024 * 1024,
    outputBytes: 64 * 1024 * 1024,
    maxTimeoutMs: 600_000,
  },
  /** CPU time of one process of a program that a person works with. */
  personCpuSeconds: 7 * 24 * 3600,
  /** The minimum that an entry counts in `diskBytes`. Every changed path takes memory, so empty files need a limit too. */
  diskBytesOfEntry: 4096,
  /** Memory that a commit's plan needs for one change beside its path, and how often it holds the path. */
  planBytesOfChange: 3 * 1024,
  planCopiesOfPath: 20,
  /** Memory that recording, diff and discard need for one entry of a layer beside its path, and how often they hold the path. */
  layerBytesOfEntry: 512,
  layerCopiesOfPath: 16,
  /** One call of a wasm tool, unless its manifest or the configuration says otherwise. */
  wasm: {
    timeoutMs: 30_000,
    memoryMiB: 128,
    /** Some seconds of computing. */
    fuel: 10_000_000_000,
    /** What a manifest may ask for. */
    maxMemoryMiB: 4096,
    maxTimeoutMs: 3_600_000,
  },
  /** What no manifest exceeds, unless the configuration says otherwise. */
  toolMemoryMiB: 1024,
  /** Standard output, and standard error, of one call of a wasm tool. */
  maxGuestOutputBytes: 1024 * 1024,
  maxGuestDiagnosticBytes: 64 * 1024,
  maxShownDiagnosticBytes: 4 * 1024,
  /** One check of a value by the patterns of a wasm tool's schema. */
  schemaCheckMs: 1000,
  /** Files that one guest has open. */
  maxGuestFiles: 256,
  /** Host calls of one call of a wasm tool, and one request or reply of them. */
  maxHostCalls: 10_000,
  maxHostCallBytes: 4 * 1024 * 1024,
  /** The head of a message of a guest: paths, and the name of what it asks for. */
  maxGuestFrameHeadBytes: 64 * 1024,
  /** What hotcell replied in one deterministic call: it is kept. */
  maxRecordingBytes: 32 * 1024 * 1024,
  /** A wasm module, or the code of a JavaScript tool. */
  maxModuleBytes: 64 * 1024 * 1024,
  maxScriptBytes: 1024 * 1024,
  /** Guest processes of a cell, how long an unused one is kept, and the compiled modules that each one keeps. */
  guestProcesses: 4,
  guestIdleMs: 30_000,
  guestModules: 8,
  /** The text of one observation of the toolsets `coding`, `processes`, `js` and `kv`, in bytes. */
  observationBytes: 32 * 1024,
  /** An image that `read_file` shows; it travels as base64. */
  maxImageBytes: 1024 * 1024,
  /** A file that `edit_file` changes. */
  maxEditBytes: 16 * 1024 * 1024,
  /** Of all edits of one call, each of which reads the whole text. */
  maxEditedBytes: 256 * 1024 * 1024,
  maxReplacements: 100_000,
  /** Files that match, where `search_files` shows names or counts. */
  maxCountedMatches: 10_000,
  /** One observation as JSON; an artifact keeps a longer one. */
  maxObservationBytes: 2 * 1024 * 1024,
  /** The YAML at the beginning of a Markdown file. */
  maxFrontmatterChars: 256 * 1024,
  maxFrontmatterDepth: 64,
  /** Its values; the target of an alias counts each time. */
  maxFrontmatterEntries: 100_000,
  toolTimeoutMs: 60_000,
  /** The shown output of a command: head and tail of each stream. */
  maxShownOutputBytes: 100 * 1024,
  /** The maximum of setTimeout: longer timers fire at once. */
  maxTimerMs: 2_147_483_647,
  /** One log file; then it is rotated. */
  maxLogFileBytes: 64 * 1024 * 1024,
  /** Cells that are open on one project at once, in mode `host`. */
  maxOpenLogs: 1000,
  /** Strings in the log longer than this are logged as size, hash and preview. */
  maxLoggedStringBytes: 256,
  logPreviewChars: 80,
  /** One line of the log; the limits below keep every record under it. */
  maxLogRecordBytes: 64 * 1024,
  /** One input or one output in a record. */
  maxLoggedValueBytes: 20 * 1024,
  maxLoggedItems: 16,
  maxLoggedMembers: 64,
  maxLoggedDepth: 8,
  maxLoggedStackChars: 1500,
  /** The user's git configuration; the excess is ignored. */
  maxGitConfigBytes: 64 * 1024,
  /** Entries of a project that are searched for hard links, once for a cell with fs `host`. */
  maxHardLinkEntries: 20_000,
  maxConfigBytes: 1024 * 1024,
  /** Nesting of objects and arrays in a configuration or policy test file. */
  maxConfigDepth: 32,
  /** A URL that a tool requests. */
  maxUrlChars: 16 * 1024,
  maxRedirects: 5,
  /** Name lookup and connection; then until the last header; then until the end of the body. */
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  bodyTimeoutMs: 60_000,
  maxResponseHeaderBytes: 64 * 1024,
  /** The body of a response after decompression; the rest is cut. */
  maxResponseBytes: 10 * 1024 * 1024,
  /** Connections that the HTTP client keeps for further requests. */
  maxIdleConnections: 16,
  /** Connections of a cell's commands at once; more are closed. */
  maxEgressConnections: 512,
  /** Hosts that rules name and that get an address of their own; the others are reached by the proxy. */
  maxNamedHosts: 1000,
  /** In which a client has to name its host. */
  maxFirstBytes: 64 * 1024,
  /** Connections of commands while one call runs; more are refused without a record. */
  maxConnectionsPerCall: 10_000,
  /** Refused hosts in one observation. */
  maxRefusedHosts: 20,
  /** How long a connection waits for a person's answer. */
  networkApprovalMs: 30_000,
  /** How long one search service is waited for before the next one is asked. */
  searchProviderMs: 20_000,
  /** How long closing a cell waits for cancelled calls that still run. */
  closeWaitMs: 5000,
  /** How long the changes of a cancelled call are recorded; the next call records the rest. */
  noteWaitMs: 1000,
  /** A request to a model: to connect, silence of the provider, and the whole answer. */
  modelConnectMs: 10_000,
  modelIdleMs: 300_000,
  modelTotalMs: 1_800_000,
  /** Retries of a request that got no answer; the first delay, which doubles; the longest delay. */
  modelRetries: 2,
  modelRetryMs: 500,
  maxModelRetryMs: 60_000,
  /** One answer of a model as bytes, one line of it, and its tokens unless the caller asks for another number. */
  maxModelAnswerBytes: 64 * 1024 * 1024,
  maxModelLineChars: 16 * 1024 * 1024,
  modelAnswerTokens: 16_384,
  /** How long a question waits while nobody who could answer it is connected. */
  approvalWaitMs: 30_000,
  /** The diff of a write that a question shows. */
  maxPreviewChars: 64 * 1024,
  /** How often a call is asked for again because its file changed after the question. */
  maxQuestions: 3,
  /** Turns of an agent run with tools, and attempts to shorten a conversation that is too long for the model. */
  maxAgentTurns: 200,
  maxTrims: 4,
  /** The diff of an interrupted call, as shown to the model. */
  maxToldDiffChars: 8000,
  /** Space of the state directory that is kept for a commit or a discard on a full disk. A disk with less free is full. */
  reserveBytes: 1024 * 1024,
  /** How long a kept cell stays open without a call, question or background process. */
  keptCellIdleMs: 60_000,
  /** HTTP doors. Times: until the last header, until the end of the body, between two requests of a connection. */
  http: {
    maxHeaderBytes: 16 * 1024,
    /** The body of a request to a path that needs no token. */
    maxOpenBodyBytes: 4 * 1024,
    maxConnections: 256,
    headersMs: 10_000,
    requestMs: 30_000,
    idleMs: 5000,
    /** How often these times are checked. */
    lookEveryMs: 1000,
    /** How long a client may leave unread what it is sent: then it is dropped. */
    unsentMs: 30_000,
  },
  /** `hotcell serve`: its usual port; one body or frame, connections, requests and questions at once, sessions of the project. */
  server: {
    port: 4610,
    maxBodyBytes: 1024 * 1024,
    maxConnections: 1024,
    maxRequests: 256,
    maxQuestions: 64,
    maxSessions: 1000,
    /** Runs that go on, sockets, and runs that one socket follows. */
    maxRuns: 128,
    maxSockets: 512,
    maxFollowed: 64,
    /** Frames of one socket in a second. */
    maxFramesPerSecond: 200,
    /** What waits to be sent to one socket: then the socket is closed. */
    maxUnsentBytes: 4 * 1024 * 1024,
    /** How often a socket is asked whether it is still there. */
    pingEveryMs: 30_000,
    /** How long a session stays open without a call: others can use it then. The command line waits for longer. */
    cellIdleMs: 1000,
    /** Records of the log in one answer. */
    maxLogRecords: 500,
    /** How long calls may go on after SIGTERM. */
    stopMs: 10_000,
  },
  /** One message of an MCP client: the arguments of a call with their envelope. */
  maxMcpMessageBytes: 17 * 1024 * 1024,
  /** The shortest time between two progress notifications of one call. */
  mcpProgressEveryMs: 100,
  /** The port of `hotcell mcp --http`, unless another one is given. */
  mcpPort: 7357,
  /** Sessions that clients of one MCP server on HTTP may create, and clients of earlier revisions at once. */
  maxMcpSessions: 1000,
  maxMcpClients: 100,
  /** How long a client of an earlier revision may be without an open request before the server forgets it. */
  mcpClientIdleMs: 600_000,
  /** How long it may be without any connection after it closed a response before its end: then its calls are cancelled. */
  mcpClientGoneMs: 10_000,
  /** How long a call waits for an MCP client's answer to a question. */
  mcpAnswerMs: 600_000,
  /** A database of AgentFS from elsewhere: its size, the rows of one table and the entries of its tree, all their paths together, one chunk of a file, and the target of a link. */
  agentfs: {
    maxBytes: 64 * 1024 * 1024 * 1024,
    maxEntries: 1_000_000,
    maxPathBytes: 128 * 1024 * 1024,
    maxChunkBytes: 1024 * 1024,
    maxLinkBytes: 4095,
  },
  /** The values of a session by key: one key, one value as JSON, their number, and all of them together. */
  kv: {
    maxKeyBytes: 1024,
    maxValueBytes: 1024 * 1024,
    maxCount: 10_000,
    maxBytes: 8 * 1024 * 1024,
  },
  /** How long a writer waits for a lock of another process. */
  lockWaitMs: 5000,
  /** The same for a lock that its holder keeps for long, such as a session's. The command line waits for 5 seconds. */
  holdWaitMs: 100,
} as const;
