import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { SiteMailWork } from './areas/app-users/auth-mail/site-mail-work.js';
import { AuditSealer } from './areas/audit/seal/audit-sealer.js';
import { RunWork } from './areas/functions/run/run-work.js';
import { PublishWork } from './areas/sites/publication/publish-work.js';
import { InboundWork } from './areas/triggers/mailhook/inbound-work.js';
import { ScheduleClockwork } from './areas/triggers/schedule/schedule-clockwork.js';
import { FirstStart } from './areas/workspace/workspace/first-start.js';
import { Environment, type ServiceRole } from './config/environment.js';
import { sharedSettings } from './config/shared-settings.js';
import { Joining } from './engine/cluster/joining.js';
import { type Duty, LeaseKeeper } from './engine/cluster/lease-keeper.js';
import { Readiness } from './engine/health/readiness.js';
import { EventFeeds } from './engine/messages/event-feed.js';
import { LogIdentity } from './engine/messages/log-identity.js';
import { ProjectionRunner } from './engine/projections/projection-runner.js';
import { Freshness } from './engine/read-models/freshness.js';
import { ReadModels } from './engine/read-models/read-models.js';
import { SagaRunner } from './engine/sagas/saga-runner.js';
import { StepWork } from './engine/step-work/step-work.js';
import { Blobs } from './ports/blobs.port.js';
import { Clock } from './ports/clock.port.js';
import { EventStore } from './ports/event-store.port.js';
import { LargeTexts } from './ports/large-texts.port.js';
import { Leases } from './ports/leases.port.js';
import { Mail } from './ports/mail.port.js';
import { MailParser } from './ports/mail-parser.port.js';
import { Messages } from './ports/messages.port.js';
import { Packages } from './ports/packages.port.js';
import { PlatformMail } from './ports/platform-mail.port.js';
import { ReadStore } from './ports/read-store.port.js';
import { Sandbox } from './ports/sandbox.port.js';
import { SchemaCheck } from './ports/schema-check.port.js';
import { ServiceLock } from './ports/service-lock.port.js';
import { SiteBuilder } from './ports/site-builder.port.js';
import { SourceCheck } from './ports/source-check.port.js';
import { TextSearch } from './ports/text-search.port.js';
import { Texts } from './ports/texts.port.js';
import { Vault } from './ports/vault.port.js';
import { Sagas } from './sagas/sagas.js';
import { MailIn } from './smtp/mail-in.js';

/** How long a stop waits for what is in hand. */
const graceMs = 10_000;
/** For the end of a stop: recording what was ended, and closing the stores. */
const closingMs = 3_000;
const defaultRunsAtOnce = 16;
/** For each that the sandbox makes, so many are in hand: while one computes, others are begun and ended in the log. */
const runsInHand = 2;

/** What consumers outside are told: all that happens, and apart from it what waits for a person. */
const outside = [
  { name: 'events', topic: 'events' },
  { name: 'pending-changes', topic: 'pending-changes', filter: { categories: ['pendingChange'] } },
] as const;

/** Starts what this process does in the order it leans on one another, and stops it the other way round. */
@Injectable()
export class Service implements OnApplicationShutdown {
  private readonly log = new Logger('Service');
  private working: readonly string[] = [];
  private left: Promise<void> | undefined;
  private stopBy = Number.POSITIVE_INFINITY;

  constructor(
    private readonly environment: Environment,
    private readonly lock: ServiceLock,
    private readonly leases: Leases,
    private readonly keeper: LeaseKeeper,
    private readonly joining: Joining,
    private readonly models: ReadModels,
    private readonly freshness: Freshness,
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly vault: Vault,
    private readonly blobs: Blobs,
    private readonly texts: Texts,
    private readonly messages: Messages,
    private readonly mail: Mail,
    private readonly platformMail: PlatformMail,
    private readonly sandbox: Sandbox,
    private readonly schemas: SchemaCheck,
    private readonly largeTexts: LargeTexts,
    private readonly textSearch: TextSearch,
    private readonly sourceCheck: SourceCheck,
    private readonly packages: Packages,
    private readonly builder: SiteBuilder,
    private readonly mailParser: MailParser,
    private readonly readiness: Readiness,
    private readonly projections: ProjectionRunner,
    private readonly sagaRunner: SagaRunner,
    private readonly sagas: Sagas,
    private readonly feeds: EventFeeds,
    private readonly work: RunWork,
    private readonly steps: StepWork,
    private readonly schedules: ScheduleClockwork,
    private readonly inbound: InboundWork,
    private readonly siteMail: SiteMailWork,
    private readonly publishes: PublishWork,
    private readonly mailIn: MailIn,
    private readonly sealer: AuditSealer,
    private readonly identity: LogIdentity,
    private readonly firstStart: FirstStart,
    private readonly clock: Clock,
  ) {}

  /** Resolves when reads are current and work is being done; answers the Owner key at the very first start. */
  async start(): Promise<{ readonly ownerKey: string; readonly given: boolean } | undefined> {
    if (!this.environment.shared) await this.lock.hold();
    await this.joining.join(sharedSettings(this.environment), () => this.freshness.note());
    this.freshness.start();
    if (this.does('projections')) await this.keep(this.readModelDuties());
    await this.untilCurrent();
    const founded = this.does('api') ? await this.firstStart.run(this.environment.bootstrapOwnerKey) : undefined;
    if (this.messages.durable) this.messages.belongTo(await this.identity.known());
    const working = await this.duties();
    this.working = working.map(({ name }) => name);
    for (const duty of working) await this.keep([duty]);
    // Not among them: it ends with the leases, after all that records, and seals what was recorded last.
    if (this.does('sagas')) await this.keep([this.sealer.duty((name) => this.keeper.lost(name))]);
    // Last: what comes in is worked on from here on.
    if (this.does('mail-in')) await this.mailIn.start();
    this.readiness.mark(true);
    return founded;
  }

  /**
   * Not ready from now on; gives up what other processes take over: mail, duties, messages. Calls are still served.
   * `by`: milliseconds since 1970, when everything has to have ended.
   */
  leave(by: number): Promise<void> {
    this.stopBy = Math.min(this.stopBy, by);
    this.readiness.leave();
    this.left ??= this.giveUp();
    return this.left;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.leave(Number.POSITIVE_INFINITY);
    this.readiness.mark(false);
    await this.sandbox.close(this.grace());
    await this.mail.close();
    await this.platformMail.close();
    await this.schemas.close();
    await this.largeTexts.close();
    await this.textSearch.close();
    await this.sourceCheck.close();
    await this.packages.close();
    await this.builder.close();
    await this.mailParser.close();
    this.freshness.stop();
    await this.keeper.stop();
    await Promise.all([
      this.events.close(),
      this.store.close(),
      this.vault.close(),
      this.blobs.close(),
      this.texts.close(),
      this.leases.close(),
    ]);
    this.lock.release();
    this.log.log('Stopped; everything acknowledged is on disk.');
  }

  private async giveUp(): Promise<void> {
    const work = this.messages.durable ? this.stopWork() : undefined;
    await Promise.all([this.mailIn.stop(), ...this.working.map((name) => this.keeper.drop(name)), work]);
    await this.stopWork();
    await this.messages.close(this.grace());
  }

  /** How long the next step of a stop may wait for what is in hand, so that the stores can still be closed. */
  private grace(): number {
    return Math.max(0, Math.min(graceMs, this.stopBy - this.clock.now() - closingMs));
  }

  private does(role: ServiceRole): boolean {
    return this.environment.roles.includes(role);
  }

  private async keep(duties: readonly Duty[]): Promise<void> {
    await Promise.all(duties.map((duty) => this.keeper.keep(duty)));
  }

  private readModelDuties(): readonly Duty[] {
    const { alone, areas } = this.models;
    return [
      ...alone.map((model) => this.projections.duty(model)),
      ...areas.map((area) => this.projections.areaDuty(area)),
    ];
  }

  /** Read models that are built here have caught up; of the others their builders have to say so. */
  private async untilCurrent(): Promise<void> {
    const isHere = (name: string) => this.keeper.holds(this.models.dutyOf(name));
    const isKnown = (name: string) => isHere(name) || this.freshness.lastCurrent(name) !== undefined;
    while (!this.models.all.every(({ name }) => isKnown(name))) {
      await this.freshness.look();
      await new Promise<void>((resolve) => this.clock.after(100, resolve));
    }
  }

  /** What this process does, or is ready to take over, beside its read models. */
  private async duties(): Promise<readonly Duty[]> {
    const lost = (name: string) => this.keeper.lost(name);
    const sagas = this.does('sagas') ? this.sagas.all.map((saga) => this.sagaRunner.duty(saga, lost)) : [];
    const scheduler = this.does('scheduler') ? [this.schedules.duty()] : [];
    if (!this.messages.durable) return [...scheduler, ...(this.does('runner') ? [this.together(sagas)] : [])];
    if (this.does('runner')) await this.startWork();
    const feeds = this.does('sagas') ? outside.map((feed) => this.feeds.duty(feed, lost)) : [];
    return [...scheduler, ...(this.does('runner') ? this.settling() : []), ...sagas, ...feeds];
  }

  /** Messages that stay within a process tie those who write them to those who read them: one lease for all. */
  private together(sagas: readonly Duty[]): Duty {
    const settling = this.settling();
    return {
      name: 'work',
      start: async () => {
        for (const duty of settling) await duty.start();
        await this.startWork();
        for (const saga of sagas) await saga.start();
      },
      stop: async () => {
        await Promise.all(sagas.map((saga) => saga.stop()));
        await this.stopWork();
        await Promise.all(settling.map((duty) => duty.stop()));
      },
    };
  }

  private settling(): readonly Duty[] {
    return [this.work.settling(), this.steps.settling(), this.inbound.settling()];
  }

  /** Each on its own: where brokers are away, one would wait for what another has given up after many tries. */
  private async startWork(): Promise<void> {
    await Promise.all([
      this.work.start(this.runsAtOnce),
      this.steps.start(),
      this.inbound.start(),
      this.siteMail.start(),
      this.publishes.start(),
    ]);
  }

  private async stopWork(): Promise<void> {
    await Promise.all([
      this.publishes.stop(),
      this.siteMail.stop(),
      this.inbound.stop(),
      this.steps.stop(),
      this.work.stop(),
    ]);
  }

  private get runsAtOnce(): number {
    return runsInHand * (this.environment.sandboxProcesses ?? defaultRunsAtOnce);
  }
}
