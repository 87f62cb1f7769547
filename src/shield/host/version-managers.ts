// Which directories a program of a version manager needs. A row never names a directory that holds credentials, such as
// ~/.cargo itself.

export interface VersionManager {
  readonly name: string;
  /** The manager's own directory: a variable of the user, else a path in the home. */
  readonly root: { readonly variable?: string; readonly inHome: string };
  /** Directories of PATH below the root, as a pattern on the path from the root. */
  readonly programs: RegExp;
  /** A file below the root without which the row does not match. */
  readonly has?: string;
  /** What such a directory needs, from the root. `$1` is the pattern's first group. */
  readonly needs: readonly string[];
  /** Directories elsewhere in the home, or the values of these variables. */
  readonly alsoNeeds?: readonly { readonly variable: string; readonly inHome: string }[];
  /** The variable by which commands find the root, because their home is another one. */
  readonly sets?: string;
}

/** The first row that matches counts. */
export const VERSION_MANAGERS: readonly VersionManager[] = [
  {
    name: "nvm",
    root: { variable: "NVM_DIR", inHome: ".nvm" },
    programs: /^(versions\/node\/[^/]+)\/bin$/,
    needs: ["$1/bin", "$1/lib", "$1/include"],
  },
  {
    name: "fnm",
    root: { variable: "FNM_DIR", inHome: ".local/share/fnm" },
    programs: /^(node-versions\/[^/]+\/installation)\/bin$/,
    needs: ["$1/bin", "$1/lib", "$1/include"],
  },
  {
    name: "volta",
    root: { variable: "VOLTA_HOME", inHome: ".volta" },
    programs: /^bin$/,
    needs: ["."],
    sets: "VOLTA_HOME",
  },
  {
    name: "mise",
    root: { variable: "MISE_DATA_DIR", inHome: ".local/share/mise" },
    programs: /^(installs\/[^/]+\/[^/]+)(\/.*)?$/,
    needs: ["$1"],
  },
  {
    name: "mise",
    root: { variable: "MISE_DATA_DIR", inHome: ".local/share/mise" },
    programs: /^shims$/,
    needs: ["shims", "installs"],
    sets: "MISE_DATA_DIR",
  },
  {
    name: "asdf",
    root: { variable: "ASDF_DATA_DIR", inHome: ".asdf" },
    programs: /^(installs\/[^/]+\/[^/]+)(\/.*)?$/,
    needs: ["$1"],
  },
  {
    name: "asdf",
    root: { variable: "ASDF_DATA_DIR", inHome: ".asdf" },
    programs: /^(shims|bin)$/,
    needs: ["."],
    sets: "ASDF_DATA_DIR",
  },
  {
    name: "pyenv",
    root: { variable: "PYENV_ROOT", inHome: ".pyenv" },
    programs: /^(shims|bin|plugins\/[^/]+\/(shims|bin)|versions\/[^/]+\/bin)$/,
    needs: ["."],
    sets: "PYENV_ROOT",
  },
  {
    name: "rbenv",
    root: { variable: "RBENV_ROOT", inHome: ".rbenv" },
    programs: /^(shims|bin|versions\/[^/]+\/bin)$/,
    needs: ["."],
    sets: "RBENV_ROOT",
  },
  {
    name: "rustup and cargo",
    root: { variable: "CARGO_HOME", inHome: ".cargo" },
    programs: /^bin$/,
    needs: ["bin"],
    alsoNeeds: [{ variable: "RUSTUP_HOME", inHome: ".rustup" }],
  },
  {
    name: "rustup and cargo",
    root: { variable: "RUSTUP_HOME", inHome: ".rustup" },
    programs: /^(toolchains\/[^/]+)\/bin$/,
    needs: ["$1"],
  },
  { name: "go", root: { variable: "GOROOT", inHome: "sdk/go" }, programs: /^bin$/, needs: ["."] },
  { name: "go", root: { inHome: "sdk" }, programs: /^(go[^/]*)\/bin$/, needs: ["$1"] },
  { name: "go", root: { inHome: ".local/go" }, programs: /^bin$/, needs: ["."] },
  // Go itself unpacked into the home, where its programs need all of it; without that file it is the directory of `go install`.
  { name: "go", root: { inHome: "go" }, programs: /^bin$/, has: "VERSION", needs: ["."] },
  { name: "go", root: { variable: "GOPATH", inHome: "go" }, programs: /^bin$/, needs: ["bin"] },
  {
    name: "bun",
    root: { variable: "BUN_INSTALL", inHome: ".bun" },
    programs: /^bin$/,
    needs: ["bin", "install/global"],
  },
  { name: "deno", root: { variable: "DENO_INSTALL", inHome: ".deno" }, programs: /^bin$/, needs: ["bin"] },
  {
    name: "pnpm",
    root: { variable: "PNPM_HOME", inHome: ".local/share/pnpm" },
    programs: /^(bin|\.)$/,
    needs: ["."],
    sets: "PNPM_HOME",
  },
  { name: "~/.local/bin", root: { inHome: ".local/bin" }, programs: /^\.$/, needs: ["."] },
];
