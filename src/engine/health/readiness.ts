import { Injectable } from '@nestjs/common';
import { Environment, type ServiceRole } from '../../config/environment.js';
import { Blobs } from '../../ports/blobs.port.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Messages } from '../../ports/messages.port.js';
import { Sandbox } from '../../ports/offloaded/sandbox.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Texts } from '../../ports/texts.port.js';
import { Vault } from '../../ports/vault.port.js';
import { ProjectionRunner } from '../projections/projection-runner.js';
import { Freshness } from '../read-models/freshness.js';
import { SagaRunner } from '../sagas/saga-runner.js';
import { PartChecks } from './part-checks.js';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

/**
 * Roles that need each part. `api` and `mail-in` do not need `messages`, because sagas hand over accepted work later.
 */
const usedBy: Readonly<Record<'messages' | 'sandbox' | 'sagas', readonly ServiceRole[]>> = {
  messages: ['sagas', 'runner'],
  sandbox: ['api', 'runner'],
  sagas: ['sagas'],
};

const neededToRead: ReadonlySet<string> = new Set(['startup', 'readStore', 'vault', 'sandbox']);

@Injectable()
export class Readiness {
  private begun = false;
  private leaving = false;
  private readonly more = new Map<string, () => Promise<void>>();
  private readonly checks = new PartChecks();

  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly vault: Vault,
    private readonly blobs: Blobs,
    private readonly texts: Texts,
    private readonly messages: Messages,
    private readonly sandbox: Sandbox,
    private readonly freshness: Freshness,
    private readonly sagas: SagaRunner,
    private readonly projections: ProjectionRunner,
    private readonly environment: Environment,
  ) {}

  mark(started: boolean): void {
    this.begun = started;
  }

  /** The process still serves requests, but load balancers should no longer choose it. */
  leave(): void {
    this.leaving = true;
  }

  get started(): boolean {
    return this.begun;
  }

  also(name: string, check: () => Promise<void>): void {
    this.more.set(name, check);
  }

  async look(): Promise<ReadinessReport> {
    const checks: readonly (readonly [string, () => Promise<void>])[] = [
      ['eventStore', () => this.events.check()],
      ['readStore', () => this.store.check()],
      ['vault', () => this.vault.check()],
      ['blobs', () => this.blobs.check()],
      ['texts', () => this.texts.check()],
      ...(this.uses('messages') ? [['messages', () => this.messages.check()] as const] : []),
      ...(this.uses('sandbox') ? [['sandbox', () => this.sandbox.check()] as const] : []),
      ...(this.uses('sagas') ? [['sagas', async () => this.mustGoOn()] as const] : []),
      ...this.more,
    ];
    const parts = await Promise.all(
      checks.map(async ([name, check]) => [name, await this.checks.stateOf(name, check)] as const),
    );
    const needed = Object.fromEntries([['startup', this.startup()] as const, ...parts]);
    const ready = Object.entries(needed).every(([name, state]) => state === 'ok' || !this.isNeeded(name));
    const parked = this.parked();
    const sagas = needed.sagas === 'ok' && parked !== undefined ? { sagas: parked } : {};
    // The process stays ready if a read model is behind, because an outdated answer is better than none.
    return { ready, parts: { ...needed, ...sagas, readModels: this.readModels() } };
  }

  /**
   * For a process with the role `api`, only the parts that queries need count. Otherwise an outage of the event store,
   * for example, would make all processes unready, and a load balancer would remove them all.
   */
  private isNeeded(part: string): boolean {
    return !this.environment.roles.includes('api') || neededToRead.has(part);
  }

  private uses(part: keyof typeof usedBy): boolean {
    return usedBy[part].some((role) => this.environment.roles.includes(role));
  }

  private startup(): string {
    if (this.leaving) return 'The process is stopping; it serves calls for a moment longer.';
    if (this.begun) return 'ok';
    const missing = this.freshness.missing();
    if (missing.length === 0) return 'The process is starting or stopping.';
    const names = missing.map(({ name, holder }) => `${name} (${holder ?? 'no process builds it'})`).join(', ');
    return `The read models are still catching up with the log: ${names}.`;
  }

  private mustGoOn(): void {
    const stuck = this.sagas.running.find(({ trouble }) => trouble !== undefined);
    if (stuck !== undefined) throw new Error(`The saga ${stuck.saga.name} cannot continue: ${stuck.trouble}.`);
  }

  /** A parked event blocks only later events of the same subject, so the process stays ready. */
  private parked(): string | undefined {
    const of = this.sagas.running.filter(({ parkedEvents }) => parkedEvents.length > 0);
    if (of.length === 0) return undefined;
    const names = of.map(({ saga, parkedEvents }) => `${saga.name} (${parkedEvents.length})`).join(', ');
    return `Sagas have parked events, or events that wait behind them: ${names}. The command sagas:list shows the reasons.`;
  }

  private readModels(): string {
    const age = this.freshness.ageSeconds();
    const behind = age === 0 ? [] : [`The read models last included the whole log ${age} s ago.`];
    const names = [...this.projections.setAside].map(([name, count]) => `${name} (${count})`);
    const aside =
      names.length === 0
        ? []
        : [`Read models have quarantined records whose events they cannot process: ${names.join(', ')}.`];
    const { halted } = this.projections;
    const still =
      halted.length === 0
        ? []
        : [
            `Read models have stopped before an event of a newer version, which this version must not skip: ${halted.join(', ')}.`,
          ];
    return [...behind, ...aside, ...still].join(' ') || 'ok';
  }
}
