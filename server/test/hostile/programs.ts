/**
 * Forty programs, in Python, that try to leave their sandbox, to fill the machine, to outlive their end, to multiply, to flood,
 * to crash or to starve others. A program prints `held` when what it tried has failed, and `left: …` when it has worked.
 */

export interface HostileProgram {
  readonly name: string;
  readonly kind: 'leave' | 'fill' | 'outlive' | 'multiply' | 'flood' | 'crash' | 'starve';
  readonly code: string;
  /** The reason that the runner gives for its end: a limit, or its own exit. */
  readonly ends: RegExp;
  /** Where no kernel limit counts it, and the calls that it needs are refused. */
  readonly endsWatched?: RegExp;
}

const BY_ITSELF = /^exited with status 0$/;
const MEMORY = /^killed: it used more than \d+ MB of memory$/;
const DISK = /^killed: it stored more than \d+ MB in its folders$/;
const FILES = /^killed: it stored more than \d+ files and folders$/;
const MULTIPLIED = /^killed: it started more than \d+ processes( and threads)?$|^exited with status 0$/;
const STOPPED = /^(stopped|killed): /;

/** Tries each of `attempts`, which raise where they fail. */
const tries = (...attempts: readonly string[]) => `
import os, socket, ctypes, subprocess, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result != 0: raise OSError(ctypes.get_errno(), 'refused')
left = []
${attempts
  .map(
    (attempt, at) => `
def attempt${at}():
${attempt
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
try:
    attempt${at}()
    left.append(${at})
except BaseException: pass`,
  )
  .join('\n')}
print('left: ' + str(left) if left else 'held', flush=True)
`;

const fills = (code: string) => `
import os, time, mmap, ctypes, sys
${code}
print('held', flush=True)
time.sleep(600)
`;

export const hostilePrograms: readonly HostileProgram[] = [
  {
    name: 'reads the files of the server',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      "open(os.environ['SERVER_HOME'] + '/encryption.key').read()",
      "assert 'encryption.key' in os.listdir(os.environ['SERVER_HOME'])",
      "open('/etc/shadow').read()",
      "os.listdir('/root')",
    ),
  },
  {
    name: 'writes to the system',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries("open('/usr/bin/left', 'w')", "open('/etc/left', 'w')", "os.mkdir('/left')", "open('/bin/sh', 'r+b')"),
  },
  {
    name: 'writes to the kernel',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      "open('/proc/sys/kernel/core_pattern', 'w').write('|/tmp/x')",
      "open('/proc/sysrq-trigger', 'w').write('c')",
      "open('/sys/kernel/uevent_helper', 'w').write('x')",
      "open('/proc/1/mem', 'r+b')",
      "os.listdir('/sys/fs/cgroup')",
    ),
  },
  {
    name: 'opens devices',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      "os.mknod('disk', 0o60666, os.makedev(8, 0))\nopen('disk', 'rb').read(1)",
      "os.open('/dev/mem', os.O_RDWR)",
      "os.open('/dev/kmsg', os.O_WRONLY)",
      "open('/dev/left', 'w')",
    ),
  },
  {
    name: 'mounts',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      "must(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))",
      "must(libc.umount2(b'/proc', 2))",
      "must(libc.mount(None, b'/', None, 32 | 4096, None))",
      "must(libc.chroot(b'/tmp'))",
    ),
  },
  {
    name: 'makes namespaces',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      'must(libc.unshare(0x10000000))\nmust(libc.unshare(0x00020000))\nopen("/proc/sys/kernel/hostname", "w").write("left")',
      "must(libc.setns(os.open('/proc/1/ns/mnt', os.O_RDONLY), 0))\nopen(os.environ['SERVER_HOME'] + '/encryption.key')",
    ),
  },
  {
    name: 'takes other rights',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      'os.setuid(0)',
      'os.setgid(0)',
      "subprocess.run(['su', '-c', 'id'], check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=5)",
      "open('shell', 'wb').write(open('/bin/sh', 'rb').read())\nos.chown('shell', 0, 0)\nos.chmod('shell', 0o4755)",
    ),
  },
  {
    name: 'signals and traces others',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      "os.kill(int(os.environ['SERVER_PID']), 0)",
      "must(libc.ptrace(16, int(os.environ['SERVER_PID']), 0, 0))",
      "open('/proc/' + os.environ['SERVER_PID'] + '/environ').read()",
      "sum(1 for name in os.listdir('/proc') if name.isdigit()) > 12 or 1/0",
    ),
  },
  {
    name: 'connects to what this machine serves',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      // A connection to a free port may meet itself.
      "assert socket.create_connection(('127.0.0.1', int(os.environ['SERVER_PORT'])), 2).recv(20) == b'a secret'",
      "s = socket.create_connection(('127.0.0.1', 3128), 2)\ns.sendall(b'CONNECT 127.0.0.1:' + os.environ['SERVER_PORT'].encode() + b' HTTP/1.1\\r\\n\\r\\n')\nassert b' 200 ' in s.recv(200)",
      "s = socket.create_connection(('127.0.0.1', 3128), 2)\ns.sendall(b'CONNECT 169.254.169.254:80 HTTP/1.1\\r\\n\\r\\n')\nassert b' 200 ' in s.recv(200)",
    ),
  },
  {
    name: 'speaks raw protocols',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      'socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)',
      'socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)',
      "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.connect(('1.1.1.1', 53))\ns.send(b'x')",
    ),
  },
  {
    name: 'leaves links out of its folder',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      "os.symlink('/', 'root')\nos.symlink(os.environ['SERVER_HOME'], 'home')\nopen('home/encryption.key').read()",
    ),
  },
  {
    name: 'talks to its parent as its child',
    kind: 'leave',
    ends: BY_ITSELF,
    code: tries(
      'for fd in range(3, 64):\n    try: os.write(fd, b\'{"left": true}\\n\')\n    except OSError: continue\n    return\nraise OSError()',
    ),
  },
  { name: 'fills memory', kind: 'fill', ends: MEMORY, code: fills("kept = [b'x' * 8_000_000 for _ in range(100)]") },
  {
    name: 'fills memory that its processes share',
    kind: 'fill',
    ends: MEMORY,
    code: fills(
      'kept = mmap.mmap(-1, 500_000_000)\nfor at in range(0, 500_000_000, 4096): kept[at] = 1\nos.fork(); os.fork()',
    ),
  },
  {
    name: 'fills files in memory',
    kind: 'fill',
    ends: MEMORY,
    endsWatched: /^exited with status 1$/,
    code: fills(
      "kept = []\nfor at in range(80):\n    fd = os.memfd_create('x'); os.write(fd, b'x' * 8_000_000); kept.append(fd)",
    ),
  },
  {
    name: 'fills segments that nobody has attached',
    kind: 'fill',
    ends: MEMORY,
    endsWatched: /^exited with status 3$/,
    code: fills(`libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
libc.shmdt.argtypes = [ctypes.c_void_p]
for at in range(80):
    segment = libc.shmget(0, 8_000_000, 0o1600)
    if segment < 0: sys.exit(3)
    place = libc.shmat(segment, None, 0); ctypes.memset(place, 1, 8_000_000); libc.shmdt(place)`),
  },
  {
    name: 'fills /dev/shm',
    kind: 'fill',
    ends: DISK,
    code: fills("for at in range(40):\n    with open(f'/dev/shm/{at}', 'wb') as file: file.write(b'x' * 8_000_000)"),
  },
  {
    name: 'fills the disk',
    kind: 'fill',
    ends: DISK,
    code: fills("for at in range(40):\n    with open(f'{at}', 'wb') as file: file.write(b'x' * 8_000_000)"),
  },
  {
    name: 'fills the disk with files that it has deleted',
    kind: 'fill',
    ends: DISK,
    code: fills(
      "kept = []\nfor at in range(40):\n    file = open(f'{at}', 'wb'); file.write(b'x' * 8_000_000); file.flush(); os.unlink(f'{at}'); kept.append(file)",
    ),
  },
  {
    name: 'fills the disk deeper than a path may be long',
    kind: 'fill',
    ends: DISK,
    code: fills(
      "for at in range(300):\n    os.mkdir('d' * 200); os.chdir('d' * 200)\nfor at in range(40):\n    with open(f'{at}', 'wb') as file: file.write(b'x' * 8_000_000)",
    ),
  },
  {
    name: 'fills the disk with names',
    kind: 'fill',
    ends: FILES,
    code: fills("for at in range(20_000): open(f'{at}', 'w').close()"),
  },
  {
    name: 'fills the disk with folders in each other',
    kind: 'fill',
    ends: FILES,
    code: fills("for at in range(20_000): os.mkdir('d'); os.chdir('d')"),
  },
  {
    name: 'fills a closed folder',
    kind: 'fill',
    // As root the host counts it; any other user cannot, which ends the program too.
    ends: /^killed: (it stored more than \d+ MB in its folders|the files in its folders cannot be counted)$/,
    code: fills(
      "os.mkdir('closed')\nfor at in range(40):\n    with open(f'closed/{at}', 'wb') as file: file.write(b'x' * 8_000_000)\nos.chmod('closed', 0)",
    ),
  },
  {
    name: 'leaves names that are no text',
    kind: 'fill',
    ends: STOPPED,
    code: fills(
      "for name in [b'\\xff\\xfe', b'a\\nb', b'-rf', b' ']: os.mkdir(name); open(name + b'/\\x01', 'w').close()",
    ),
  },
  {
    name: 'leaves folders that cannot be changed',
    kind: 'fill',
    ends: STOPPED,
    code: fills(
      "os.makedirs('a/b/c'); open('a/b/c/file', 'w').close()\nfor path in ['a/b/c', 'a/b', 'a']: os.chmod(path, 0o555)",
    ),
  },
  {
    name: 'floods its output without an end of line',
    kind: 'flood',
    ends: STOPPED,
    code: "import os\nwhile True: os.write(1, b'x' * 65536)",
  },
  {
    name: 'floods its log with lines',
    kind: 'flood',
    ends: STOPPED,
    code: "import os\nwhile True: os.write(2, b'line\\n' * 10_000)",
  },
  {
    name: 'opens all descriptors and connections that it can',
    kind: 'flood',
    ends: STOPPED,
    code: `
import socket, time, os
kept = []
try:
    while True: kept.append(socket.create_connection(('127.0.0.1', 3128), 1))
except OSError: pass
try:
    while True: kept.append(os.pipe())
except OSError: pass
print('held', flush=True)
time.sleep(600)
`,
  },
  {
    name: 'sends half requests to its proxy',
    kind: 'flood',
    ends: STOPPED,
    code: `
import socket, time
kept = []
for at in range(200):
    try:
        s = socket.create_connection(('127.0.0.1', 3128), 1)
        s.sendall(b'CONNECT ' + b'a' * 1000); kept.append(s)
    except OSError: break
print('held', flush=True)
time.sleep(600)
`,
  },
  {
    name: 'leaves its session',
    kind: 'outlive',
    ends: BY_ITSELF,
    code: "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\n    os._exit(0)\nprint('held', flush=True)",
  },
  {
    name: 'leaves its session without its environment',
    kind: 'outlive',
    ends: BY_ITSELF,
    code: "import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: os.execve('/bin/sleep', ['sleep', '600'], {})\n    os._exit(0)\nprint('held', flush=True)",
  },
  {
    name: 'ignores every signal',
    kind: 'outlive',
    ends: STOPPED,
    code: "import signal, time\nfor number in range(1, 65):\n    try: signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nprint('held', flush=True)\nwhile True: time.sleep(1)",
  },
  {
    name: 'leaves its output open to a child',
    kind: 'outlive',
    ends: BY_ITSELF,
    code: "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(600)\nprint('held', flush=True)",
  },
  {
    name: 'forks without an end',
    kind: 'multiply',
    ends: MULTIPLIED,
    code: "import os, time\nfor at in range(3000):\n    try:\n        if os.fork() == 0: time.sleep(600)\n    except OSError: break\nprint('held', flush=True)\ntime.sleep(5)",
  },
  {
    name: 'starts threads without an end',
    kind: 'multiply',
    ends: /^killed: it (started more than \d+ processes and threads|used more than \d+ MB of memory)$|^(stopped|exited)/,
    code: "import threading, time\nfor at in range(5000):\n    try: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n    except RuntimeError: break\nprint('held', flush=True)\ntime.sleep(3)",
  },
  {
    name: 'replaces itself faster than anyone looks',
    kind: 'multiply',
    ends: BY_ITSELF,
    code: "import os, time\nprint('held', flush=True)\nend = time.time() + 600\nwhile time.time() < end:\n    if os.fork() == 0: os.setsid(); end = time.time() + 600; continue\n    os._exit(0)",
  },
  { name: 'crashes at once', kind: 'crash', ends: /^ended by SIGSEGV$/, code: 'import ctypes\nctypes.string_at(0)' },
  {
    name: 'stops itself',
    kind: 'crash',
    ends: STOPPED,
    code: "import os, signal\nprint('held', flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)",
  },
  {
    name: 'burns every processor',
    kind: 'starve',
    ends: STOPPED,
    code: "import os\nprint('held', flush=True)\nfor at in range(16):\n    if os.fork() == 0:\n        while True: pass\nwhile True: pass",
  },
  {
    name: 'keeps the disk busy',
    kind: 'starve',
    ends: STOPPED,
    code: "import os\nprint('held', flush=True)\nwhile True:\n    with open('busy', 'wb') as file:\n        file.write(b'x' * 4_000_000); file.flush(); os.fsync(file.fileno())",
  },
];
