import { Injectable } from '@nestjs/common';
import { EventStore } from '../ports/event-store.port.js';
import { ReadStore } from '../ports/read-store.port.js';
import { Sandbox } from '../ports/sandbox.port.js';
import { Vault } from '../ports/vault.port.js';

export interface Look {
  readonly ready: boolean;
  /** `ok`, or what is wrong in one sentence. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Whether each part that the service needs can do its work now. */
@Injectable()
export class Readiness {
  private started = false;

  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly vault: Vault,
    private readonly sandbox: Sandbox,
  ) {}

  mark(started: boolean): void {
    this.started = started;
  }

  async look(): Promise<Look> {
    const checks: readonly (readonly [string, () => Promise<void>])[] = [
      ['eventStore', () => this.events.check()],
      ['readStore', () => this.store.check()],
      ['vault', () => this.vault.check()],
      ['sandbox', () => this.sandbox.check()],
    ];
    const parts = await Promise.all(checks.map(async ([name, check]) => [name, await told(check)] as const));
    const startup = ['startup', this.started ? 'ok' : 'The read models are still catching up with the log.'] as const;
    const all = Object.fromEntries([startup, ...parts]);
    return { ready: Object.values(all).every((state) => state === 'ok'), parts: all };
  }
}

async function told(check: () => Promise<void>): Promise<string> {
  try {
    await check();
    return 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : 'It does not work, and does not say why.';
  }
}
