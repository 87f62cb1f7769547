// Random lines of bash that may evaluate text a second time. `evil` is the command that the text hides.
import fc from "fast-check";

const PAYLOADS = [
  "a[$(evil)]",
  "a[`evil`]",
  "$(evil)",
  "`evil`",
  "x=($(evil))",
  "([$(evil)]=1)",
  "evil",
  "-va[$(evil)]",
  "a[$(evil)]=1",
  "evil x",
  "<(evil)",
  "${a[$(evil)]}",
  "a[b[$(evil)]]",
  "a=1,b[$(evil)]",
] as const;

/** Ways to put the text into the variable y. */
const SETTERS = [
  "y=TEXT",
  "y+=TEXT",
  "read -r y <<< TEXT",
  "printf -v y %s TEXT",
  "mapfile -t y <<< TEXT",
  "for y in TEXT; do :; done",
  "declare y=TEXT",
  "declare -i z; y=TEXT",
  "declare -n y=z; z=TEXT",
  "export y=TEXT",
  "set -- TEXT; y=$1",
  ": ${y:=TEXT}",
  "y=(TEXT)",
  "getopts a: z -a TEXT; y=$OPTARG",
  "y=$(echo TEXT)",
  "PS4=TEXT; y=TEXT",
  "BASH_ENV=TEXT; y=TEXT",
  "PROMPT_COMMAND=TEXT; y=TEXT",
  "alias q=TEXT; y=TEXT",
] as const;

/** VALUE stands for the text itself, or for an expansion of y. */
const USES = [
  ...[
    "echo $((y))",
    "((y))",
    "let VALUE",
    "let y",
    "echo $[y]",
    "(( z = y ))",
    "for ((z=y; z<0; )); do :; done",
  ],
  ...[
    "[[ VALUE -eq 0 ]]",
    "[[ 1 -lt VALUE ]]",
    "[[ -v VALUE ]]",
    "[[ -R VALUE ]]",
    "[[ -n VALUE ]]",
    "[[ VALUE == VALUE ]]",
    "[[ -t VALUE ]]",
  ],
  ...[
    "[ -v VALUE ]",
    "test -v VALUE",
    "[ VALUE -eq 0 ]",
    "test VALUE = VALUE",
    "[ -t VALUE ]",
    "[ -n VALUE -a -v VALUE ]",
    "test ! -v VALUE",
  ],
  ...[
    "echo ${y@P}",
    "echo ${y@E}",
    "echo ${y@Q}",
    "echo ${y@A}",
    "echo ${!y}",
    "echo ${z[y]}",
    "echo ${z:y}",
  ],
  ...[
    "echo ${z:0:y}",
    "echo ${#z[y]}",
    "echo ${y^^}",
    "echo ${y//a/b}",
    "echo ${y:-VALUE}",
    "echo ${z[@]:y}",
  ],
  ...["z[y]=1", "z[VALUE]=1", "z=([y]=1)", "z+=([y]=1)", "declare -A z; z[VALUE]=1", "z[y]+=1", "unset z[y]"],
  ...[
    "printf -v VALUE x",
    "printf %d VALUE",
    "printf %s VALUE",
    "printf VALUE",
    "printf '%(%s)T' VALUE",
    "read VALUE <<< x",
  ],
  ...[
    "read -a VALUE <<< x",
    "read -t VALUE z",
    "read -n VALUE z <<< x",
    "read -p VALUE z <<< x",
    "mapfile VALUE <<< x",
  ],
  ...[
    "mapfile -O VALUE z <<< x",
    "mapfile -C VALUE -c 1 z <<< x",
    "readarray VALUE <<< x",
    "getopts VALUE z",
    "getopts a VALUE",
  ],
  ...[
    "declare VALUE",
    "declare -i z=VALUE",
    "declare -n z=VALUE; echo $z",
    "declare -a z=VALUE",
    "declare -A z=VALUE",
    "typeset VALUE",
  ],
  ...[
    "local VALUE",
    "f() { local VALUE; }; f",
    "f() { local -i z=VALUE; }; f",
    "f() { local -n z=VALUE; echo $z; }; f",
  ],
  ...[
    "export VALUE",
    "readonly VALUE",
    "unset VALUE",
    "unset -v VALUE",
    "wait VALUE",
    "wait -p VALUE",
    "shift VALUE",
    "exit VALUE",
    "kill VALUE",
  ],
  ...[
    "ulimit -n VALUE",
    "umask VALUE",
    "hash -p VALUE q; q",
    "enable -f VALUE q",
    "trap VALUE EXIT",
    "trap VALUE DEBUG; :",
    "eval VALUE",
  ],
  ...[
    "source VALUE",
    ". VALUE",
    "command VALUE",
    "builtin VALUE",
    "exec VALUE",
    "bash -c VALUE",
    "bash <<< VALUE",
    "env VALUE",
    "xargs <<< VALUE",
  ],
  ...[
    "compgen -W VALUE",
    "compgen -C VALUE",
    "complete -C VALUE q",
    "shopt -s expand_aliases\nalias q=VALUE\nq",
    "fc -s VALUE",
  ],
  ...[
    "set -x; :",
    "set VALUE",
    "set -k; : z=VALUE",
    "case VALUE in VALUE) ;; esac",
    "select z in VALUE; do break; done <<< 1",
  ],
  ...[
    "coproc VALUE",
    "coproc { VALUE; }",
    "{ VALUE; }",
    "( VALUE )",
    ": > VALUE",
    ": {VALUE}> f",
    ": {z[y]}> f",
    "cat <<< VALUE",
  ],
  ...["echo >& VALUE", "echo 1>&VALUE", "{ :; } >&VALUE", "echo 2>&VALUE", "echo &> VALUE", "echo <& VALUE"],
  ...[
    "cat <<E\nVALUE\nE",
    "echo VALUE",
    "time VALUE",
    "! VALUE",
    "pushd VALUE",
    "dirs +VALUE",
    "suspend VALUE",
    "history -p VALUE",
  ],
  ...[
    "RANDOM=VALUE",
    "SECONDS=VALUE",
    "OPTIND=VALUE",
    "HISTCMD=VALUE",
    "LINENO=VALUE",
    "SRANDOM=VALUE",
    "BASH_ARGV0=VALUE",
    "PPID=VALUE",
  ],
  ...[
    "find . -maxdepth 0 -exec VALUE ;",
    "$y",
    '"$y"',
    "${y}",
    "VALUE",
    "PS4=VALUE bash -xc :",
    "BASH_ENV=VALUE bash -c :",
  ],
  ...[
    "bash -i -c : <<< VALUE",
    "caller VALUE",
    "return VALUE",
    "break VALUE",
    "bind -x VALUE",
    "logout VALUE",
    "times VALUE",
    "help VALUE",
  ],
] as const;

const quoted = fc.constantFrom(...PAYLOADS).map((text) => `'${text}'`);
const value = fc.oneof(
  { weight: 4, arbitrary: quoted },
  { weight: 3, arbitrary: fc.constantFrom("$y", '"$y"', "${y}", "y", "z[y]", "$z$y", '"${y}"') },
);
const setter = fc
  .tuple(fc.constantFrom(...SETTERS), quoted)
  .map(([template, text]) => template.replaceAll("TEXT", () => text));
const use = fc
  .tuple(fc.constantFrom(...USES), value, value)
  .map(([template, first, next]) => template.replace("VALUE", () => first).replaceAll("VALUE", () => next));
const around = fc.constantFrom(
  ...["USE", "USE", "USE", "USE", "if true; then USE\nfi", "{ USE\n}", "( USE\n)", "echo $(USE\n)"],
  ...["true && USE", "f() { USE\n}; f", "USE | cat"],
);
const wrapped = fc.tuple(use, around).map(([used, template]) => template.replace("USE", () => used));

/** Words in any order, most of them nonsense for bash. */
const soup = fc
  .array(
    fc.oneof(
      value,
      fc.constantFrom(
        ...["[", "]", "[[", "]]", "-v", "-eq", "-n", "-i", "-a", "test", "printf", "read", "declare", "let"],
        ...["$((", "))", "((", "${z:", "${z[", "]}", "}", ";", "&&", "|", "<<<", "<<< x", "y=", "z[", "]=1"],
        ...["set -x", "PS4=", "builtin", "command", "\\", "''", '""', "{", "(", ")", "$(", "#", "echo", "\n"],
      ),
    ),
    { minLength: 2, maxLength: 8 },
  )
  .map((words) => words.join(" "));

export const evaluations: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(setter, wrapped).map(([set, used]) => `${set}; ${used}`) },
  { weight: 3, arbitrary: wrapped },
  { weight: 2, arbitrary: fc.tuple(setter, soup).map(([set, words]) => `${set}; ${words}`) },
);
