import { Injectable } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { EventStore } from '../../ports/event-store.port.js';
import { Messages } from '../../ports/messages.port.js';
import { Sandbox } from '../../ports/offloaded/sandbox.port.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { ProjectionRunner } from '../projections/projection-runner.js';
import { Freshness } from '../read-models/freshness.js';
import { ReadModels } from '../read-models/read-models.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { SagaRunner } from '../sagas/saga-runner.js';
import { messageMetrics } from './message-metrics.js';

/** Label values are fixed words of this service or names that it defines, never caller input. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  readonly contentType = this.registry.contentType;

  private readonly operations = new Histogram({
    name: 'countersign_operation_seconds',
    help: 'Time of an operation, by name and outcome (ok, or the refusal code, or fault).',
    labelNames: ['operation', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [this.registry],
  });

  private readonly runs = new Histogram({
    name: 'countersign_run_seconds',
    help: 'Time of an attempt in the sandbox, by source and outcome.',
    labelNames: ['source', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
    registers: [this.registry],
  });

  private readonly mails = new Counter({
    name: 'countersign_mails_total',
    help: 'Mails that mail servers delivered, by outcome: taken (accepted), put off (the sender tries again) or refused.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  private readonly refusedDeliveries = new Counter({
    name: 'countersign_webhook_refused_total',
    help: 'Webhook deliveries whose signature did not verify, by scheme and why (missing, malformed, stale, wrong).',
    labelNames: ['scheme', 'why'],
    registers: [this.registry],
  });

  private readonly again = new Counter({
    name: 'countersign_messages_published_again_total',
    help: 'Messages published again in case they were lost, because their work was queued for more than a minute.',
    labelNames: ['topic'],
    registers: [this.registry],
  });

  private readonly occurrences = new Counter({
    name: 'countersign_schedule_occurrences_total',
    help: 'Occurrences of schedules: fired in time, fired late, missed, or skipped because the previous run had not ended.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  private readonly scheduleSkew = new Histogram({
    name: 'countersign_schedule_skew_seconds',
    help: 'Time from when a schedule was due until it was fired.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [this.registry],
  });

  private readonly realtimeMessages = new Counter({
    name: 'countersign_realtime_messages_total',
    help: 'Messages of sockets: accepted from visitors, refused, sent to visitors, and not sent because the visitor was cut off.',
    labelNames: ['what'],
    registers: [this.registry],
  });

  private readonly siteBuilds = new Histogram({
    name: 'countersign_site_publish_seconds',
    help: 'Duration of a publish from when a builder started it, by outcome (ok or failed).',
    labelNames: ['outcome'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    registers: [this.registry],
  });

  private readonly siteAnswers = new Histogram({
    name: 'countersign_site_answer_seconds',
    help: 'Time until a request for a page or asset of a site was answered, by what was requested and status.',
    labelNames: ['what', 'status'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
    registers: [this.registry],
  });

  constructor(
    events: EventStore,
    readYourWrites: ReadYourWrites,
    sandbox: Sandbox,
    messages: Messages,
    models: ReadModels,
    keeper: LeaseKeeper,
    freshness: Freshness,
    sagas: SagaRunner,
    projections: ProjectionRunner,
  ) {
    collectDefaultMetrics({ register: this.registry });
    this.gauge(
      'countersign_projection_lag_events',
      'Positions by which a read model that this process builds is behind the log: events with the embedded store, bytes with EventStoreDB.',
      ['projection'],
      async (gauge) => {
        gauge.reset();
        const head = await events.head().catch(() => undefined);
        for (const { name: projection } of models.all) {
          if (head === undefined || !keeper.holds(models.dutyOf(projection))) continue;
          gauge.set({ projection }, Math.max(0, head - readYourWrites.taken(projection)));
        }
      },
    );
    this.gauge(
      'countersign_read_model_age_seconds',
      'Time since a read model, in any process, last included the whole log.',
      ['projection'],
      async (gauge) => {
        for (const { name } of models.all) gauge.set({ projection: name }, freshness.ageMs(name) / 1_000);
      },
    );
    this.gauge(
      'countersign_read_model_set_aside',
      'Events that a read model of this process could not process; their records are quarantined.',
      ['projection'],
      async (gauge) => {
        gauge.reset();
        for (const [projection, count] of projections.setAside) gauge.set({ projection }, count);
      },
    );
    this.gauge(
      'countersign_saga_lag_events',
      'Positions by which a saga of this process is behind the log: events with the embedded store, bytes with EventStoreDB.',
      ['saga'],
      async (gauge) => {
        gauge.reset();
        const head = await events.head().catch(() => undefined);
        for (const { saga, position } of sagas.running) {
          if (head !== undefined) gauge.set({ saga: saga.name }, Math.max(0, head - position));
        }
      },
    );
    this.gauge(
      'countersign_saga_parked_events',
      'Events that a saga of this process could not process (parked), and events that wait behind them (waiting).',
      ['saga', 'state'],
      async (gauge) => {
        gauge.reset();
        for (const { saga, parkedEvents } of sagas.running) {
          const waiting = parkedEvents.filter(({ reason }) => reason === null).length;
          gauge.set({ saga: saga.name, state: 'parked' }, parkedEvents.length - waiting);
          gauge.set({ saga: saga.name, state: 'waiting' }, waiting);
        }
      },
    );
    this.gauge('countersign_lease_held', '1 for each lease that this process holds.', ['lease'], async (gauge) => {
      gauge.reset();
      for (const lease of keeper.acquired) gauge.set({ lease }, 1);
    });
    this.gauge(
      'countersign_sandbox_jobs',
      'Waiting runs, running runs, and idle processes of the sandbox.',
      ['state'],
      async (gauge) => {
        for (const [state, count] of Object.entries(sandbox.load())) gauge.set({ state }, count);
      },
    );
    messageMetrics(this.registry, messages);
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  operation(operation: string, outcome: string, seconds: number): void {
    this.operations.observe({ operation, outcome }, seconds);
  }

  run(source: string, outcome: string, seconds: number): void {
    this.runs.observe({ source, outcome }, seconds);
  }

  sitePublish(outcome: 'ok' | 'failed', seconds: number): void {
    this.siteBuilds.observe({ outcome }, seconds);
  }

  deliveryRefused(scheme: string, why: string): void {
    this.refusedDeliveries.inc({ scheme, why });
  }

  siteAnswered(what: 'page' | 'asset', status: number, seconds: number): void {
    this.siteAnswers.observe({ what, status }, seconds);
  }

  realtime(what: 'taken' | 'refused' | 'told' | 'cut off'): void {
    this.realtimeMessages.inc({ what });
  }

  publishedAgain(topic: string): void {
    this.again.inc({ topic });
  }

  /** `late` (more than 10 seconds) usually means that no process was running when the occurrence was due. */
  occurrenceFired(skewSeconds: number): void {
    this.occurrences.inc({ outcome: skewSeconds > 10 ? 'late' : 'fired' });
    this.scheduleSkew.observe(skewSeconds);
  }

  occurrencesLeft(outcome: 'missed' | 'skipped', count: number): void {
    this.occurrences.inc({ outcome }, count);
  }

  mail(outcome: 'taken' | 'put off' | 'refused'): void {
    this.mails.inc({ outcome });
  }

  /** If reading fails, the scrape has no value of this gauge. */
  gauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => Promise<void>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: () => read(gauge).catch(() => gauge.reset()),
    });
  }
}
