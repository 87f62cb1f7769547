// The program that applies Landlock and the filter to itself and then executes the command. It is in Perl, because the
// minimal perl of a distribution can make any system call: nothing has to be compiled or installed. On failure it writes
// the reason to standard error and exits with 125. On success it reports on the link that the sandbox is complete. After
// that, 126 and 127 have the meaning of a shell: cannot run, not found.
// See https://docs.kernel.org/userspace-api/landlock.html
export const LANDLOCK_LAUNCHER = String.raw`
use strict;
use Errno;

sub stop { print STDERR "hotcell: can't $_[1]\n"; exit $_[0] }
sub fail { stop(125, "shut the command in: $_[0]") }

sub call { my $what = shift; my $got = syscall($_[0], @_[1 .. $#_]); $got == -1 and fail("$what: $!"); $got }

my %given = (ro => [], rw => []);
while (defined(my $option = shift @ARGV)) {
  last if $option eq '--';
  $option =~ /^--(\w+)$/ or fail("unknown option $option");
  my $value = shift @ARGV;
  ref $given{$1} ? push @{ $given{$1} }, $value : ($given{$1} = $value);
}
@ARGV or fail('no command');

my $O_PATH = 010000000;
my ($CREATE_RULESET, $ADD_RULE, $RESTRICT_SELF, $CLOSE_RANGE) = (444, 445, 446, 436);
my $abi = call('Landlock is not in this kernel', $CREATE_RULESET, 0, 0, 1);

# Version 3 restricts truncation: before it, a command could empty any file of the user. Version 4 restricts TCP,
# 5 restricts devices, 6 restricts signals and abstract unix sockets.
$abi >= 3 or fail("Landlock $abi leaves files outside open to be emptied, 3 does not (Linux 6.2)");
my $handled = (1 << 15) - 1;
$handled |= 1 << 15 if $abi >= 5;
my $size = $abi >= 6 ? 24 : $abi >= 4 ? 16 : 8;
my $ruleset = call('Landlock ruleset', $CREATE_RULESET, pack('Q3', $handled, 3, 3), $size, 0);

# READ: execute, read files, list. WRITE: all rights except creating and controlling devices and sockets.
my $READ = 1 << 0 | 1 << 2 | 1 << 3;
my $WRITE = $handled & ~(1 << 6 | 1 << 9 | 1 << 11 | 1 << 15);
my $OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14;

sub grant {
  my ($path, $rights) = @_;
  sysopen(my $handle, $path, $O_PATH) or return $!{ENOENT} && $rights == $READ ? () : fail("$path: $!");
  $rights &= $OF_FILES unless -d $handle;
  call("Landlock rule for $path", $ADD_RULE, $ruleset, 1, pack('Ql', $rights, fileno $handle), 0);
}
grant($_, $READ) for @{ $given{ro} };
grant($_, $WRITE) for @{ $given{rw} };

open(my $source, '<&=', $given{seccomp}) or fail("filter: $!");
binmode $source;
my $filter = do { local $/; <$source> } // '';
length $filter and length($filter) % 8 == 0 or fail('the filter is cut off');

# Only the command gets these variables: they could control a program that is not in the sandbox yet.
open(my $variables, '<&=', $given{env}) or fail("environment: $!");
my %environment = map { split /=/, $_, 2 } split /\0/, do { local $/; <$variables> } // '';
open(my $link, '>&=', $given{link}) or fail("link: $!");

# setsid fails if the process is already a session leader.
syscall($given{setsid}) != -1 or syscall($given{getsid}, 0) == $$ or fail("session: $!");

# The supervisor ends only when no descendant is left, or when somebody kills it.
my ($SET_PDEATHSIG, $KILL) = (1, 9);
call('death signal', $given{prctl}, $SET_PDEATHSIG, $KILL, 0, 0, 0);

# With no_new_privs, executing a program gives no capabilities back, not even to root.
my ($NO_NEW_PRIVS, $SET_SECCOMP, $FILTER) = (38, 22, 2);
call('capabilities', $given{capset}, pack('Ll', 0x20080522, 0), pack('L6', (0) x 6));
call('no new privileges', $given{prctl}, $NO_NEW_PRIVS, 1, 0, 0, 0);
call('Landlock', $RESTRICT_SELF, $ruleset, 0);
my $ON_EXEC = 4;
call('open files', $CLOSE_RANGE, 3, 0x7fffffff, $ON_EXEC);
call('filter', $given{prctl}, $SET_SECCOMP, $FILTER, pack('S x6 P', length($filter) / 8, $filter), 0, 0);

defined $given{stderr} and (open(STDERR, '>&', $given{stderr}) or fail("standard error: $!"));
syswrite($link, "begun\n");
%ENV = %environment;
{ no warnings; exec { $ARGV[0] } @ARGV; }
stop($!{ENOENT} ? 127 : 126, "run $ARGV[0]: $!");
`;
