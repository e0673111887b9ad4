import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { Clock } from '../../ports/clock.port.js';
import { Vault } from '../../ports/vault.port.js';
import { Callers } from '../entrance/callers.js';
import { refusalOf } from '../http.refusals.js';

/**
 * Interval, in milliseconds, at which the key of a running call is checked. The call of a revoked key is aborted after
 * at most this time.
 */
const lookEveryMs = 1_000;
/** Time, in milliseconds, for which a cancellation is stored. It is longer than any call can take. */
const stopRetainedMs = 15 * 60_000;

/** The client chooses the id, so it is unique only within the caller's session. */
export interface CallName {
  readonly caller: Caller;
  readonly session: string | undefined;
  readonly id: string | number;
}

interface Watched {
  readonly request: FastifyRequest;
  progress?(seconds: number): Promise<void>;
}

/**
 * Runs tool calls that a client can cancel. The client may send its cancellation to any process, so with several
 * processes it is stored where all of them find it.
 */
@Injectable()
export class ToolCalls {
  private readonly open = new Map<string, AbortController>();

  constructor(
    private readonly callers: Callers,
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly environment: Environment,
  ) {}

  /**
   * Aborts the signal of `work` and refuses the call if the client cancels it or its key becomes invalid.
   * @throws Refusal mcp-call-cancelled, key-invalid
   */
  async run<T>(name: CallName, watched: Watched, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const key = keyOf(name);
    const ending = new AbortController();
    this.open.set(key, ending);
    const { promise, reject } = Promise.withResolvers<never>();
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
    const done = new AbortController();
    this.watch(key, watched, ending, done.signal);
    try {
      return await Promise.race([work(ending.signal), promise]);
    } finally {
      done.abort();
      if (this.open.get(key) === ending) this.open.delete(key);
    }
  }

  async cancel(name: CallName): Promise<void> {
    const key = keyOf(name);
    const here = this.open.get(key);
    if (here !== undefined) here.abort(refusalOf('mcp-call-cancelled'));
    else if (this.environment.shared) {
      await this.vault.seal(stopOf(key), new Uint8Array(), { expiresAt: this.clock.now() + stopRetainedMs });
    }
  }

  private watch(key: string, { request, progress }: Watched, ending: AbortController, done: AbortSignal): void {
    let seconds = 0;
    let callOff = () => {};
    const next = () => {
      callOff = this.clock.after(lookEveryMs, () => void look());
    };
    const look = async () => {
      seconds += 1;
      try {
        await this.callers.still(request);
        if (this.environment.shared && (await this.vault.open(stopOf(key))) !== undefined)
          ending.abort(refusalOf('mcp-call-cancelled'));
        if (!done.aborted) await progress?.(seconds);
      } catch (error) {
        ending.abort(error);
      }
      if (!done.aborted && !ending.signal.aborted) next();
    };
    done.addEventListener('abort', () => callOff());
    next();
  }
}

function keyOf({ caller: { workspaceId, kind, id }, session = '', id: call }: CallName): string {
  return JSON.stringify([workspaceId, kind, id, session, call]);
}

const stopOf = (key: string) => `mcp-stop/${hash('sha256', key, 'base64url')}`;
