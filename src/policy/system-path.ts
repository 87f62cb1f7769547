// Paths of the machine in the text of a command. A glob stands for the whole directory that it is in.

/** No project is below these. */
const SYSTEM = /^\/(bin|boot|dev|etc|lib(32|64|x32)?|proc|sbin|sys|usr)(\/|$)/;
/** Projects are below these; the directory itself is everybody's, or a user's home. */
const SHARED = /^\/(home(\/[^/]+)?|media|mnt|nix|opt|root|run|srv|var)?$/;
/** The sandbox's own. */
const TEMPORARY = /^(\/tmp|\/var\/tmp|\/dev\/shm)\/./;

export function isSystemPath(text: string): boolean {
  if (!text.startsWith("/")) return false;
  const at = directoryOf(text);
  return !TEMPORARY.test(`${at}/`) && (SYSTEM.test(at) || SHARED.test(at));
}

/** A device that programs write to as a disk; not `/dev/null` and the descriptors. */
export function isDevice(text: string): boolean {
  return /^\/dev\/(?!(null|zero|full|tty|stdin|stdout|stderr|shm\/.*|fd\/.*)$)/.test(normalize(text));
}

/** A home directory, or everything in it. */
export function isHome(text: string): boolean {
  return /^(~[\w-]*|"?\$\{?HOME\}?"?)(\/+(\.{0,2}|[*.]+|\{.*\}))*"?$/.test(text);
}

/** A directory above the current one, or everything in it. */
export function isAbove(text: string): boolean {
  const names = normalNames(text);
  return names[0] === ".." && names.every((name) => /^[.*?]+$/.test(name));
}

/** Up to the first name with a glob in it. */
function directoryOf(text: string): string {
  const glob = text.search(/[*?[{]/);
  return normalize(glob === -1 ? text : text.slice(0, text.lastIndexOf("/", glob) + 1));
}

function normalize(text: string): string {
  return text.startsWith("/") ? `/${normalNames(text).join("/")}` : text;
}

/** Only a relative path keeps `..` at its beginning. */
function normalNames(text: string): string[] {
  const names: string[] = [];
  for (const name of text.split("/")) {
    const isUp = name === ".." && (text.startsWith("/") || (names.length > 0 && names.at(-1) !== ".."));
    if (isUp) names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}
