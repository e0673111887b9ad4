import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { projections } from '../projections/projections.js';
import { RunWork } from './areas/automations/run/run-work.js';
import { FirstStart } from './areas/workspace/workspace/first-start.js';
import { Environment } from './config/environment.js';
import { ProjectionRunner } from './engine/projection-runner.js';
import { Readiness } from './engine/readiness.js';
import { SagaRunner } from './engine/saga-runner.js';
import { EventStore } from './ports/event-store.port.js';
import { Messages } from './ports/messages.port.js';
import { ReadStore } from './ports/read-store.port.js';
import { Sandbox } from './ports/sandbox.port.js';
import { ServiceLock } from './ports/service-lock.port.js';
import { Vault } from './ports/vault.port.js';
import { Sagas } from './sagas/sagas.js';

/** How long a stop waits for what is in hand. */
const graceMs = 10_000;

/** Starts what this process does in the order it leans on one another, and stops it the other way round. */
@Injectable()
export class Service implements OnApplicationShutdown {
  private readonly log = new Logger('Service');

  constructor(
    private readonly environment: Environment,
    private readonly lock: ServiceLock,
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly vault: Vault,
    private readonly messages: Messages,
    private readonly sandbox: Sandbox,
    private readonly readiness: Readiness,
    private readonly projections: ProjectionRunner,
    private readonly sagaRunner: SagaRunner,
    private readonly sagas: Sagas,
    private readonly work: RunWork,
    private readonly firstStart: FirstStart,
  ) {}

  /** Resolves when reads are current and work is being done; answers the Owner key at the very first start. */
  async start(): Promise<{ readonly ownerKey: string; readonly given: boolean } | undefined> {
    this.lock.hold();
    await this.projections.start(projections);
    const founded = await this.firstStart.run(this.environment.bootstrapOwnerKey);
    await this.work.start(this.environment.sandboxProcesses ?? 16);
    await this.sagaRunner.start(this.sagas.all);
    this.readiness.mark(true);
    return founded;
  }

  async onApplicationShutdown(): Promise<void> {
    this.readiness.mark(false);
    await this.sagaRunner.stop();
    await this.messages.close(graceMs);
    await this.sandbox.close(graceMs);
    await this.projections.stop();
    await Promise.all([this.events.close(), this.store.close(), this.vault.close()]);
    this.lock.release();
    this.log.log('Stopped; everything acknowledged is on disk.');
  }
}
