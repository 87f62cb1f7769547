import { describe, expect, test } from "vitest";
import { readCommandLine } from "./read-command-line.ts";

function hazardsOf(line: string): readonly string[] {
  const read = readCommandLine(line);
  if (!read.readable) throw new Error(`${JSON.stringify(line)} was not read: ${read.fault}`);
  return read.hazards.map(({ text }) => text);
}

describe("a builtin that takes names of variables, or changes the meaning of names, is a hazard", () => {
  const EVALUATED = "the shell evaluates the value of a variable in";
  const SET = "is set, and programs run or load the value of such a variable";

  test.each([
    ["alias a=b", '"alias" changes the meaning of names'],
    ["declare a", '"declare" changes the meaning of names'],
    ["read -r PATH", `"PATH" ${SET}`],
    ["let x", `${EVALUATED} "x"`],
    ["test -v 'x[$(a)]'", `${EVALUATED} "x[$(a)]"`],
    ["printf -v 'x[`a`]' y", `${EVALUATED} "x[\`a\`]"`],
    ["printf -v y[x] 1", `${EVALUATED} "y[x]"`],
    ['printf -v "$x" 1', `${EVALUATED} "\\"$x\\""`],
    ["printf -vPS4 x", `"PS4" ${SET}`],
    ["printf -v BASH_CMDS[a] x", `${EVALUATED} "BASH_CMDS[a]"`],
    ["\\printf -v PATH x", `"PATH" ${SET}`],
    ["builtin printf -v PATH x", `"PATH" ${SET}`],
    ["printf $x", `${EVALUATED} "$x"`],
    ["read y[x]", `${EVALUATED} "y[x]"`],
    ["read $x", `${EVALUATED} "$x"`],
    ["read -ra y[x]", `${EVALUATED} "y[x]"`],
    ["read -p $x y", `${EVALUATED} "$x"`],
    ["mapfile -t PS4", `"PS4" ${SET}`],
    ["mapfile -C a y", '"-C" is an option that may run commands or rename'],
    ["readarray 'y[x]'", `${EVALUATED} "y[x]"`],
    ["getopts a$x y", `${EVALUATED} "a$x"`],
    ["getopts a y[x]", `${EVALUATED} "y[x]"`],
    ["wait -p y[x]", `${EVALUATED} "y[x]"`],
    ['wait "$x"', `${EVALUATED} "\\"$x\\""`],
    ["unset y[x]", `${EVALUATED} "y[x]"`],
    ["unset PATH", `"PATH" ${SET}`],
    ["test -v $x", `${EVALUATED} "$x"`],
    ['[ -v "$x" ]', `${EVALUATED} "\\"$x\\""`],
    ["test -R y[x]", `${EVALUATED} "y[x]"`],
    ['[ "$x" "$y" ]', `${EVALUATED} "\\"$y\\""`],
    ["[ $x = y ]", `${EVALUATED} "$x"`],
    ["export -a 'x=($(a))'", '"-a" is an option that may run commands or rename'],
    ["readonly -A x='([$(a)]=1)'", '"-A" is an option that may run commands or rename'],
    ["readonly x='($(a))'", `${EVALUATED} "x=($(a))"`],
    ["export x=$y", `${EVALUATED} "x=$y"`],
    ["export $x", `${EVALUATED} "$x"`],
    ["readonly RANDOM=x", `"RANDOM" ${SET}`],
    ["local -n x=y", '"-n" is an option that may run commands or rename'],
    ["typeset -i x", '"typeset" changes the meaning of names'],
    ["hash -p x a", '"-p" is an option that may run commands or rename'],
    ["enable -f x a", '"enable" changes the meaning of names'],
    ["trap a EXIT", '"trap" runs its arguments as a script'],
    ["compgen -C a", '"compgen" runs its arguments as a script'],
    ["set -k", 'set may get an option from "-k" that turns words into assignments'],
    ["set -o keyword", 'set may get an option from "keyword" that turns words into assignments'],
  ])("%j: %s", (line, hazard) => {
    expect(hazardsOf(line)).toEqual([hazard]);
  });
});

describe("with plain names and known options it is none", () => {
  test.each([
    "test -f x",
    "printf '[%s]' '$x'",
    'printf "%s $x" "$y" *.md; printf -v x %s "$y"',
    'read -r x y; read -p "$z" -a x; mapfile -t x; getopts ab: x "$@"',
    "export A=1 B='x y'; export C; readonly D=2; unset A B",
    '[ "$x" = "$y" ] && [ $# -eq 0 ] && [ -f src/"$x" ] && [ -d ~/x ] && test -v x && [[ -v PATH ]]',
    "wait; wait $!; wait -n -p x",
    "set -euo pipefail; set +x; set -- $x; hash -r; jobs",
  ])("%j", (line) => {
    expect(hazardsOf(line)).toEqual([]);
  });
});
