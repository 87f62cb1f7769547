// Environment variables that make a program run or load something else. The list has families of names, because new
// variables usually have names like the existing ones.
/** Variables of the shell itself. Some are integers, and the shell evaluates a value that is assigned to an integer. */
const OF_THE_SHELL: readonly RegExp[] = [
  /^(_|IFS|ENV|BASH_.*|SHELLOPTS|BASHOPTS|PS\d|GLOBIGNORE)$/i,
  /^(S?RANDOM|SECONDS|LINENO|OPTIND|OPTERR|EPOCH.*|HIST.*|DIRSTACK|FUNCNAME|GROUPS|PIPESTATUS|E?UID|PPID)$/,
  /^(BASH.*|COMP_.*|COMPREPLY|PROMPT_.*|READLINE_.*|TEXTDOMAIN.*|MAIL.*|TMOUT|TIMEFORMAT|POSIXLY_CORRECT|EXECIGNORE)$/,
];

const FAMILIES: readonly RegExp[] = [
  ...OF_THE_SHELL,
  // The dynamic linker and line editing.
  /^(INPUTRC|LD_.*|DYLD_.*)$/i,
  // Search paths and configuration files.
  /(PATH|HOME|CONF|CONFIG|RC|TERMINFO|HOSTALIASES)$/i,
  // Programs to run, their options, and wrappers.
  /(SHELL|EDITOR|VISUAL|PAGER|BROWSER|ASKPASS|COMMAND|WRAPPER|RSH|OPTIONS|OPTS?|FLAGS|ARGS)$/i,
  /(PRELOAD|STARTUP|HOOK|PLUGINS?|PROXY)$/i,
  // Programs that read settings from their environment.
  /^(GIT|SSH|NPM_|YARN_|PNPM_|PYTHON|PERL|RUBY|GEM_|BUNDLE_|JAVA_|_JAVA_|JDK_|LESS|MAN|MAKE)/i,
  /^(CARGO_|RUST|GO[A-Z]|PHP|LUA_|DOCKER_|KUBE|AWS_|OPENSSL_|SSL_|CURL_|XDG_|NODE_(?!ENV$))/i,
  /^(CC|CXX)$/,
];

export function isDangerousVariable(name: string): boolean {
  return FAMILIES.some((family) => family.test(name));
}

/** The shell expands or evaluates the value of such a variable: `PS4='$(id)'; set -x` runs id. */
export function isEvaluatedVariable(name: string): boolean {
  return OF_THE_SHELL.some((family) => family.test(name));
}
