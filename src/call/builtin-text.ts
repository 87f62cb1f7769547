// The outputs of the built-in tools as text. Code is shown as it is, not as JSON: a model copies it into its next edit.
import type { JsonObject } from "../core/json.ts";
import type {
  CommandOutput,
  EditFileOutput,
  FindFilesOutput,
  ListDirectoryOutput,
  ListedEntry,
  ReadFileOutput,
  RunJsOutput,
  SearchFilesOutput,
  SessionDiffOutput,
  WriteFileOutput,
} from "../tools/builtin-types.ts";
import { foundLineText } from "../tools/coding/found-line-text.ts";

/** Null for the output of another tool, also of one that has the name of a built-in tool. */
export function builtinText(tool: string, output: JsonObject): string | null {
  const known = TEXTS.get(tool);
  if (known === undefined || known.keys.some((key) => !(key in output))) return null;
  const text = known.text(output);
  return typeof output.note === "string" ? joined(text, `[${output.note}]`) : text;
}

interface OutputText {
  /** The keys by which an output of the tool is recognised. */
  readonly keys: readonly string[];
  readonly text: (output: JsonObject) => string;
}

/** The types say what the keys guarantee. */
function of<Output>(keys: readonly (keyof Output & string)[], text: (output: Output) => string): OutputText {
  return { keys, text: (output) => text(output as unknown as Output) };
}

const TEXTS: ReadonlyMap<string, OutputText> = new Map([
  ["read_file", of<ReadFileOutput>(["content", "truncated"], readText)],
  ["write_file", of<WriteFileOutput>(["bytes_written"], writtenText)],
  ["edit_file", of<EditFileOutput>(["replacements"], editedText)],
  ["list_directory", of<ListDirectoryOutput>(["entries"], listedText)],
  ["find_files", of<FindFilesOutput>(["paths"], ({ paths }) => paths.join("\n") || "No files.")],
  ["search_files", of<SearchFilesOutput>(["matches", "files_scanned"], foundText)],
  ["run_js", of<RunJsOutput>(["result"], ranText)],
  ["session_diff", of<SessionDiffOutput>(["stat", "diff"], diffText)],
  ["run_command", of<CommandOutput>(["exit_code", "stdout", "stderr"], commandText)],
]);

function ranText({ result, logs = "" }: RunJsOutput): string {
  return joined(logs.trimEnd(), typeof result === "string" ? result : JSON.stringify(result));
}

function diffText({ stat, diff, changes, truncated }: SessionDiffOutput): string {
  if (changes === 0) return "The session has no changes.";
  return joined(stat, diff, truncated ? "[The rest of the diff is not shown: ask for one call.]" : "");
}

function readText(output: ReadFileOutput): string {
  if (output.content === null) return `${output.path}: ${output.mime}, ${output.size} bytes`;
  return output.content === "" && output.lines === 0 ? "The file is empty." : output.content;
}

function writtenText({ path, bytes_written: bytes, created }: WriteFileOutput): string {
  return `${created ? "Created" : "Wrote"} ${path}: ${bytes} bytes.`;
}

function editedText({ path, replacements, created }: EditFileOutput): string {
  if (created) return `Created ${path}.`;
  return `Edited ${path}: ${replacements} ${replacements === 1 ? "replacement" : "replacements"}.`;
}

function listedText({ entries }: ListDirectoryOutput): string {
  return entries.map(entryText).join("\n") || "The directory has no entries.";
}

function entryText({ name, type, size }: ListedEntry): string {
  if (type === "directory") return `${name}/`;
  return type === "file" ? `${name} (${size} bytes)` : `${name} (${type})`;
}

function foundText({ matches, files, counts, files_scanned: scanned }: SearchFilesOutput): string {
  const lines = files ?? counts?.map(({ path, count }) => `${path}: ${count}`) ?? matches.map(foundLineText);
  return lines.length === 0 ? `No matches in ${scanned} files.` : lines.join("\n");
}

function commandText({ stdout, stderr, exit_code: code, signal }: CommandOutput): string {
  const end = code === null ? `[ended by ${signal ?? "hotcell"}]` : `[exit code ${code}]`;
  return joined(stdout, stderr === "" ? "" : `[stderr]\n${stderr}`, end);
}

function joined(...texts: readonly string[]): string {
  return texts
    .filter((text) => text !== "")
    .map((text) => text.replace(/\n$/, ""))
    .join("\n");
}
