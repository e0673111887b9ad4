import { hash as digest, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PasswordHash, PasswordHashBusy, type PasswordLine } from '../../../ports/offloaded/password-hash.port.js';
import { FairTurns } from '../../turns/fair-turns.js';

interface Parameters {
  /** Binary logarithm of N, the cost in time and memory. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

interface ReadHash extends Parameters {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);
const present: Parameters = { ln: 15, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;
const form = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;
/** Highest `ln` that is accepted in a stored hash. A higher one would block the machine. */
const costliest = 20;
/** Maximum number of hashes that are computed at a time. The other threads of Node's pool of four remain free. */
const atATime = 2;
const waiting = 200;
/**
 * Maximum number of waiting hashes of one site and purpose, such as sign-in. On the slowest machines, one thread
 * computes this many in about four seconds.
 */
const waitingOfLine = 50;
const waitingOfYieldingLine = 20;

/** A hash takes 32 MB and some 60 ms. */
export class ScryptPasswordHash extends PasswordHash {
  private readonly turns: FairTurns;
  private readonly dummyHash = { ...present, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) };

  constructor(private readonly parameters: Parameters = present) {
    super();
    this.turns = new FairTurns({
      atATime,
      atATimeOfLine: atATime,
      waiting,
      waitingOfLine,
      waitingOfYieldingLine,
      full: () => new PasswordHashBusy(2),
    });
  }

  async hash(line: PasswordLine, password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    const hash = await this.derived(line, password, { ...this.parameters, salt }, hashBytes);
    const { ln, r, p } = this.parameters;
    return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
  }

  async matches(line: PasswordLine, password: string, hash: string | undefined): Promise<boolean> {
    const expected = (hash === undefined ? undefined : read(hash)) ?? { ...this.dummyHash, ...this.parameters };
    const found = await this.derived(line, password, expected, expected.hash.length);
    return timingSafeEqual(found, expected.hash);
  }

  private derived(
    line: PasswordLine,
    password: string,
    { ln, r, p, salt }: Omit<ReadHash, 'hash'>,
    length: number,
  ): Promise<Buffer> {
    const N = 2 ** ln;
    // scrypt's inner HMAC ignores NULs at the end of a password. A base64 digest contains none, so scrypt gets the
    // password's digest.
    const whole = digest('sha256', password, 'base64');
    const turn = { line: `${line.siteId} ${line.kind}`, yields: line.kind === 'sign-up' };
    return this.turns.take(turn, () => derive(whole, salt, length, { N, r, p, maxmem: 256 * N * r * p }));
  }
}

function read(text: string): ReadHash | undefined {
  const [, ln, r, p, salt = '', hash = ''] = form.exec(text) ?? [];
  const read = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (ln === undefined || read.ln < 1 || read.ln > costliest || read.r < 1 || read.p < 1) return undefined;
  return { ...read, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
