// Compiles the rules to a seccomp filter: a classic BPF program for one architecture.
// See seccomp(2); https://docs.kernel.org/userspace-api/seccomp_filter.html
import {
  type Condition,
  type Confinement,
  ENOSYS,
  SECCOMP_RULES,
  type SyscallRule,
} from "./seccomp-rules.ts";
import { type Arch, LAST_KNOWN_SYSCALL, syscallNumber } from "./syscall-table.ts";

export interface FilterOptions {
  readonly arch: Arch;
  readonly confinement: Confinement;
}

interface Instruction {
  readonly code: number;
  readonly k: number;
  /** How many instructions to skip if the comparison is true, and if it is false. */
  readonly yes?: number;
  readonly no?: number;
}

const LOAD = 0x20;
const AND = 0x54;
const IF_EQUAL = 0x15;
const IF_GREATER = 0x25;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW: Instruction = { code: RETURN, k: 0x7fff_0000 };
const KILL: Instruction = { code: RETURN, k: 0x8000_0000 };
const refuse = (errno: number): Instruction => ({ code: RETURN, k: 0x0005_0000 | errno });

const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;

// Offsets in struct seccomp_data. Both architectures are little-endian, so the low half comes first.
const LOAD_NUMBER: Instruction = { code: LOAD, k: 0 };
const LOAD_ARCH: Instruction = { code: LOAD, k: 4 };
const loadArgument = (index: number): Instruction => ({ code: LOAD, k: 16 + 8 * index });

/** For `bwrap --seccomp` and for the Landlock launcher. */
export function seccompFilter({ arch, confinement }: FilterOptions): Buffer {
  const rules = SECCOMP_RULES.filter(
    (rule) => rule.confinement === undefined || rule.confinement === confinement,
  );
  return encode([
    LOAD_ARCH,
    { code: IF_EQUAL, k: AUDIT_ARCH[arch], yes: 1 },
    KILL,
    LOAD_NUMBER,
    // This also refuses all x32 system calls, whose numbers have a high bit set.
    { code: IF_GREATER, k: LAST_KNOWN_SYSCALL, no: 1 },
    refuse(ENOSYS),
    ...rules.flatMap((rule) => ruleCode(rule, arch)),
    ALLOW,
  ]);
}

function ruleCode(rule: SyscallRule, arch: Arch): Instruction[] {
  const body = refusalCode(rule);
  const numbers = rule.calls.map((name) => syscallNumber(name, arch)).filter((number) => number !== null);
  return numbers.flatMap((number) => [{ code: IF_EQUAL, k: number, no: body.length }, ...body]);
}

/** Begins and ends with the system call number loaded. Jumps stay inside, so every offset fits in a byte. */
function refusalCode({ when = [], errno }: SyscallRule): Instruction[] {
  return when.length === 0 ? [refuse(errno)] : guard(when, [refuse(errno), LOAD_NUMBER]);
}

/** Jumps to the last instruction if a condition is false. */
function guard([condition, ...others]: readonly Condition[], guarded: Instruction[]): Instruction[] {
  if (condition === undefined) return guarded;
  const rest = guard(others, guarded);
  return [...conditionCode(condition, rest.length - 1), ...rest];
}

/** Continues after itself if the condition is true, otherwise skips `skip` more instructions. */
function conditionCode(condition: Condition, skip: number): Instruction[] {
  const load = [loadArgument(condition.arg), ...(condition.mask === undefined ? [] : [and(condition.mask)])];
  if ("anyBitOf" in condition) return [...load, { code: IF_ANY_BIT, k: condition.anyBitOf, no: skip }];
  if ("noneOf" in condition) return [...load, ...isOneOf(condition.noneOf, skip, 0)];
  return [...load, ...isOneOf(condition.oneOf, 0, skip)];
}

const and = (mask: number): Instruction => ({ code: AND, k: mask });

function isOneOf(values: readonly number[], yes: number, no: number): Instruction[] {
  return values.map((k, index) => {
    const after = values.length - 1 - index;
    return { code: IF_EQUAL, k, yes: after + yes, no: after === 0 ? no : 0 };
  });
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, k, yes = 0, no = 0 }] of program.entries()) {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(yes, at + 2);
    bytes.writeUInt8(no, at + 3);
    bytes.writeUInt32LE(k, at + 4);
  }
  return bytes;
}
