import { fileURLToPath } from 'node:url';
import { takes } from '../clocks/delays.js';
import type { Engines } from '../engines.js';
import { freePort } from '../mail/free-port.js';
import { masterKey } from '../processes.js';
import { type Reply, type ServiceProcess, startServiceProcess } from '../service-process.js';

const shiftedClock = fileURLToPath(new URL('./shifted-clock.mjs', import.meta.url));

export interface Member {
  readonly process: ServiceProcess;
  /** Port on which the process receives mail. Undefined if it does not. */
  readonly smtpPort: number | undefined;
}

export interface MemberOptions {
  readonly roles: 'api' | 'worker';
  /** The built service. Default: this version. */
  readonly main?: string | undefined;
  readonly clockAheadMs?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

const workerRoles = 'projections,sagas,runner,scheduler,mail-in';

/** Processes on shared stores that start and stop, with a load balancer in front of those that answer calls. */
export class Fleet {
  readonly members = new Set<Member>();

  constructor(
    private readonly engines: Engines,
    private readonly dataDir: string,
  ) {}

  async start({ roles, main, clockAheadMs = 0, environment = {} }: MemberOptions): Promise<Member> {
    const smtpPort = roles === 'worker' ? await freePort() : undefined;
    const process = await startServiceProcess({
      dataDir: this.dataDir,
      main,
      flags: ['--import', shiftedClock],
      environment: {
        ...this.engines.environment,
        MASTER_KEY: masterKey,
        ROLES: roles === 'api' ? 'api' : workerRoles,
        LOG_LEVEL: 'warn',
        SMTP_IN_PORT: String(smtpPort ?? 0),
        CLOCK_AHEAD_MS: String(clockAheadMs),
        SHUTDOWN_DELAY_SECONDS: '1',
        ...environment,
      },
    });
    const member = { process, smtpPort };
    this.members.add(member);
    return member;
  }

  /** Stops a process gracefully. It leaves the balancer when it reports that it is not ready. */
  async stop(member: Member): Promise<number | null> {
    const { code } = await member.process.end('SIGTERM');
    this.members.delete(member);
    return code;
  }

  async kill(member: Member): Promise<void> {
    await member.process.end('SIGKILL');
    this.members.delete(member);
  }

  async close(): Promise<void> {
    await Promise.all([...this.members].map((member) => this.kill(member)));
  }

  get apis(): readonly Member[] {
    return [...this.members].filter(({ smtpPort }) => smtpPort === undefined);
  }

  get mailServers(): readonly number[] {
    return [...this.members].flatMap(({ smtpPort }) => smtpPort ?? []);
  }

  /**
   * Calls like a client that tries again elsewhere if there is no response, if the status is 503 or 429, or while a
   * killed process still counts as processing the first attempt.
   */
  async call(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    for (let turn = 0; ; turn += 1) {
      const { apis } = this;
      const api = apis[turn % Math.max(1, apis.length)];
      const reply = await api?.process.post(path, body, headers).catch(() => undefined);
      const isInProgress = reply?.body?.code === 'idempotency-key-in-progress';
      if (reply !== undefined && reply.status !== 503 && reply.status !== 429 && !isInProgress) return reply;
      await takes(20);
    }
  }
}
