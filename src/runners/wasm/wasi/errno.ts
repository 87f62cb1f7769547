// The error numbers of WASI preview1, in the order of the specification.
const NAMES =
  "SUCCESS 2BIG ACCES ADDRINUSE ADDRNOTAVAIL AFNOSUPPORT AGAIN ALREADY BADF BADMSG BUSY CANCELED CHILD CONNABORTED CONNREFUSED CONNRESET DEADLK DESTADDRREQ DOM DQUOT EXIST FAULT FBIG HOSTUNREACH IDRM ILSEQ INPROGRESS INTR INVAL IO ISCONN ISDIR LOOP MFILE MLINK MSGSIZE MULTIHOP NAMETOOLONG NETDOWN NETRESET NETUNREACH NFILE NOBUFS NODEV NOENT NOEXEC NOLCK NOLINK NOMEM NOMSG NOPROTOOPT NOSPC NOSYS NOTCONN NOTDIR NOTEMPTY NOTRECOVERABLE NOTSOCK NOTSUP NOTTY NXIO OVERFLOW OWNERDEAD PERM PIPE PROTO PROTONOSUPPORT PROTOTYPE RANGE ROFS SPIPE SRCH STALE TIMEDOUT TXTBSY XDEV NOTCAPABLE";

const NUMBERS: ReadonlyMap<string, number> = new Map(
  NAMES.split(" ").map((name, number) => [`E${name}`, number]),
);

/** An unknown name counts as an input/output error. */
export function errnoOf(name: string): number {
  return NUMBERS.get(name) ?? NUMBERS.get("EIO")!;
}

/** What a WASI function returns instead of success. */
export class WasiFault extends Error {
  readonly errno: string;

  constructor(errno: string) {
    super(errno);
    this.errno = errno;
  }
}

export function fault(errno: string): never {
  throw new WasiFault(errno);
}
